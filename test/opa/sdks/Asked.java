// Reads questions from the standard input, `[{"entrypoint": …, "input": …}]`, and writes their result sets.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.styra.opa.wasm.OpaPolicy;
import java.nio.file.Path;

public final class Asked {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper json = new ObjectMapper();
    OpaPolicy policy = OpaPolicy.builder().withPolicy(Path.of(arguments[0])).build();
    ArrayNode answers = json.createArrayNode();
    for (JsonNode question : json.readTree(System.in)) {
      String resultSet = policy.entrypoint(question.get("entrypoint").asText()).evaluate(question.get("input"));
      answers.add(json.readTree(resultSet));
    }
    json.writeValue(System.out, answers);
  }
}
