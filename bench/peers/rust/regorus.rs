//! regorus on the Rego and the data of our bundle, by its interpreter: its virtual machine answers our entrypoints with their
//! defaults. Its answers are whole.

mod asked;

use regorus::{Engine, Value};
use serde_json::Value as Json;

fn main() {
    let job = asked::read_job();
    let read = |name: &str| std::fs::read_to_string(format!("{}/{name}", job.folder)).unwrap();
    let kept: Json = serde_json::from_str(&read("kept.json")).unwrap();
    let mut engine = Engine::new();
    for file in kept["rego"].as_array().unwrap() {
        let (path, text) = (file[0].as_str().unwrap(), file[1].as_str().unwrap());
        engine.add_policy(path.to_owned(), text.lines().map(readable).collect::<Vec<_>>().join("\n")).unwrap();
    }
    engine.add_data(Value::from_json_str(&read("data.json")).unwrap()).unwrap();
    let decider = |_: &str, entrypoint: &str| {
        let rule = format!("data.{}", entrypoint.replace('/', "."));
        let compiled = engine.compile_with_entrypoint(&rule.as_str().into()).unwrap();
        // An answer is text, as a service sends it.
        move |request: &[u8]| -> Result<String, String> {
            let input = Value::from_json_str(std::str::from_utf8(request).unwrap()).unwrap();
            compiled.eval_with_input(input).and_then(|answer| answer.to_json_str()).map_err(|error| error.to_string())
        }
    };
    asked::tell(&job, "0.14.1", decider, |answer| match answer {
        Ok(text) => serde_json::from_str(&text).unwrap_or(Json::Null),
        Err(error) => Json::String(error),
    });
}

/// Says otherwise what its parser does not read: a rule that is a head alone, `follows("any", _)`, and a variable of a
/// comprehension that has the name of one around it.
fn readable(line: &str) -> String {
    let is_head = line.starts_with(|first: char| first.is_ascii_lowercase()) && line.ends_with(')');
    let has_more = [" if ", ":=", " contains "].iter().any(|word| line.contains(word));
    format!("{line}{}", if is_head && !has_more { " := true" } else { "" }).replace(
        "{[answer.gate, answer.reason] | some answer in members(deny); well_formed(answer)}",
        "{[one.gate, one.reason] | some one in members(deny); well_formed(one)}",
    )
}
