import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.nio.charset.StandardCharsets;

/** What every program here does with its questions: see `Job` and `Told` in ../outside.ts. */
final class Asked {
  static final ObjectMapper JSON = new ObjectMapper();
  /** Keeps answers alive, so that no compiler can leave a decision out. */
  static volatile Object last;

  /** Decides the bytes of a request; the answer is JSON. */
  interface Decide {
    Object of(byte[] request) throws Exception;
  }

  interface Decider {
    Decide of(String kind, String entrypoint) throws Exception;
  }

  static JsonNode job(String[] args) throws Exception {
    return JSON.readTree(new File(args[0]));
  }

  static void tell(JsonNode job, String version, Decider decider) throws Exception {
    ObjectNode all = JSON.createObjectNode().put("version", version);
    var told = all.putArray("told");
    for (JsonNode question : job.get("asked")) {
      Decide decide = decider.of(question.get("kind").asText(), question.get("entrypoint").asText());
      byte[][] requests = new byte[question.get("requests").size()][];
      for (int i = 0; i < requests.length; i++)
        requests[i] = question.get("requests").get(i).asText().getBytes(StandardCharsets.UTF_8);
      ObjectNode one = told.addObject();
      var answers = one.putArray("answers");
      var nanos = one.putArray("nanos");
      long limit = job.get("ms").asLong() * 1_000_000;
      if (limit == 0) {
        for (byte[] request : requests) answers.add(answerOf(decide, request));
        continue;
      }
      int warm = requests.length / 4;
      long started = System.nanoTime();
      for (int i = 0; System.nanoTime() - started < job.get("warmMs").asLong() * 1_000_000; i++)
        last = decide.of(requests[i % warm]);
      started = System.nanoTime();
      for (int i = warm; i < requests.length && System.nanoTime() - started < limit; i++) {
        long from = System.nanoTime();
        last = decide.of(requests[i]);
        nanos.add(System.nanoTime() - from);
      }
    }
    System.out.println(JSON.writeValueAsString(all));
    System.exit(0);
  }

  private static JsonNode answerOf(Decide decide, byte[] request) {
    try {
      Object answer = decide.of(request);
      return answer instanceof Boolean ? JSON.valueToTree(answer) : JSON.readTree(answer.toString());
    } catch (Exception | Error error) {
      return JSON.valueToTree(error.toString());
    }
  }
}
