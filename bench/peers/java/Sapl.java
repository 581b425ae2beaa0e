import com.fasterxml.jackson.databind.JsonNode;
import io.sapl.api.interpreter.Val;
import io.sapl.api.pdp.AuthorizationSubscription;
import io.sapl.api.pdp.Decision;
import io.sapl.interpreter.combinators.PolicyDocumentCombiningAlgorithm;
import io.sapl.pdp.PolicyDecisionPointFactory;
import java.io.File;
import java.util.HashMap;
import java.util.List;

/** SAPL, embedded: the tables are variables of its policies. Its answer is a verdict. */
public final class Sapl {
  private static final String ENTER = "lanes[(resource.lane)].roles[(resource.role)] == true";
  private static final List<String> POLICIES =
      List.of(
          "policy \"lane\" permit action == \"lane\" where " + ENTER + ";",
          "policy \"tool\" permit action == \"tool\" where "
              + ENTER
              + "; lanes[(resource.lane)].tools[(resource.tool)] == true;"
              + " tools[(resource.tool)].enabled == true;"
              + " tools[(resource.tool)].implementation_status == \"implemented\";",
          "policy \"subagent\" permit action == \"subagent\" where"
              + " resource.env.CHIRALITY_ENABLE_SUBAGENTS == \"true\";"
              + " agents[(resource.persona)].type == 1; agents[(resource.persona)].allowlist != [];"
              + " resource.governance.contextSealed == true; resource.governance.pipelineRunApproved == true;"
              + " resource.governance.approvalRef =~ \"(?s).*\\\\S.*\";");

  public static void main(String[] args) throws Exception {
    JsonNode job = Asked.job(args);
    JsonNode tables = Asked.JSON.readTree(new File(job.get("folder").asText(), "data.json")).at("/portcullis/policy");
    var variables = new HashMap<String, Val>();
    for (String table : List.of("lanes", "tools", "agents")) variables.put(table, Val.of(tables.get(table)));
    var pdp = PolicyDecisionPointFactory.fixedInRamPolicyDecisionPoint(
        POLICIES, PolicyDocumentCombiningAlgorithm.DENY_UNLESS_PERMIT, variables);
    Asked.tell(job, "3.0.0", (kind, entrypoint) -> request -> {
      var asked = AuthorizationSubscription.of("", kind, Asked.JSON.readTree(request));
      return pdp.decide(asked).blockFirst().getDecision() == Decision.PERMIT;
    });
  }
}
