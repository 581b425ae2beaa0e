// Reads questions from the standard input, `[{"entrypoint": …, "input": …}]`, and writes their result sets.

use opa_wasm::{wasmtime, Runtime};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("no module named")?;
    let engine = wasmtime::Engine::new(&wasmtime::Config::new())?;
    let module = wasmtime::Module::new(&engine, std::fs::read(path)?)?;
    let mut store = wasmtime::Store::new(&engine, ());
    let policy = Runtime::new(&mut store, &module).await?.without_data(&mut store).await?;
    let questions: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    let mut answers: Vec<Value> = Vec::new();
    for question in questions {
        let entrypoint = question["entrypoint"].as_str().ok_or("no entrypoint")?;
        answers.push(policy.evaluate(&mut store, entrypoint, &question["input"]).await?);
    }
    serde_json::to_writer(std::io::stdout(), &answers)?;
    Ok(())
}
