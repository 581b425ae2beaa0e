import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.styra.opa.wasm.OpaBuiltin;
import com.styra.opa.wasm.OpaPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** opa-java-wasm on the module that the job names, with the functions that OPA's module leaves to its host. Its answers are whole. */
public final class OpaWasm {
  public static void main(String[] args) throws Exception {
    JsonNode job = Asked.job(args);
    OpaPolicy policy =
        OpaPolicy.builder()
            .withPolicy(Files.readAllBytes(Path.of(job.get("module").asText())))
            .addBuiltins(
                OpaBuiltin.from("strings.any_prefix_match", (OpaBuiltin.TwoFunction) (instance, text, prefixes) -> anyPrefix(text, prefixes)),
                OpaBuiltin.from("regex.find_n", (instance, pattern, text, most) -> found(pattern, text, most.asInt())),
                OpaBuiltin.from(
                    "regex.replace", (instance, text, pattern, value) -> replaced(text, pattern, value.asText())))
            .build();
    policy.data(Asked.JSON.readTree(job.get("data").asText()));
    Asked.tell(job, "1.0.4", (kind, entrypoint) -> {
      policy.entrypoint(entrypoint);
      return request -> resultOf(policy.evaluate(new String(request, StandardCharsets.UTF_8)));
    });
  }

  /** `[{"result":…}]`, read as its callers do. */
  private static JsonNode resultOf(String answer) throws Exception {
    return Asked.JSON.readTree(answer).path(0).path("result");
  }

  private static JsonNode anyPrefix(JsonNode text, JsonNode prefixes) {
    for (JsonNode prefix : prefixes) if (text.asText().startsWith(prefix.asText())) return BooleanNode.TRUE;
    return BooleanNode.FALSE;
  }

  private static JsonNode found(JsonNode pattern, JsonNode text, int most) {
    List<String> all = new ArrayList<>();
    var matches = Pattern.compile(pattern.asText()).matcher(text.asText());
    while ((most < 0 || all.size() < most) && matches.find()) all.add(matches.group());
    return Asked.JSON.valueToTree(all);
  }

  private static JsonNode replaced(JsonNode text, JsonNode pattern, String value) {
    return text.isTextual() ? Asked.JSON.valueToTree(text.asText().replaceAll(pattern.asText(), value)) : MissingNode.getInstance();
  }
}
