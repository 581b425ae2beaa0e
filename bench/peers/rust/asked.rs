//! What every program here does with its questions: see `Job` and `Told` in ../outside.ts.

use serde_json::{json, Value};
use std::time::{Duration, Instant};

pub struct Job {
    pub folder: String,
    asked: Value,
    warm: Duration,
    timed: Duration,
}

pub fn read_job() -> Job {
    let path = std::env::args().nth(1).expect("a job");
    let job: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    Job {
        folder: job["folder"].as_str().unwrap().to_owned(),
        asked: job["asked"].clone(),
        warm: Duration::from_millis(job["warmMs"].as_u64().unwrap()),
        timed: Duration::from_millis(job["ms"].as_u64().unwrap()),
    }
}

/// `decider`: what decides the bytes of requests of a kind, at an entrypoint.
pub fn tell<A, D: FnMut(&[u8]) -> A>(
    job: &Job,
    version: &str,
    mut decider: impl FnMut(&str, &str) -> D,
    answer: impl Fn(A) -> Value,
) {
    let told: Vec<Value> = job.asked.as_array().unwrap().iter().map(|question| {
        let mut decide = decider(question["kind"].as_str().unwrap(), question["entrypoint"].as_str().unwrap());
        let requests: Vec<&[u8]> =
            question["requests"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().as_bytes()).collect();
        if job.timed.is_zero() {
            let answers: Vec<Value> = requests.iter().map(|request| answer(decide(request))).collect();
            return json!({ "answers": answers, "nanos": [] });
        }
        let (warm, timed) = requests.split_at(requests.len() / 4);
        let started = Instant::now();
        while started.elapsed() < job.warm {
            for request in warm.iter().take(16) { std::hint::black_box(decide(request)); }
            for request in warm { if started.elapsed() > job.warm { break; } std::hint::black_box(decide(request)); }
        }
        let started = Instant::now();
        let mut nanos: Vec<u64> = Vec::with_capacity(timed.len());
        for request in timed {
            if started.elapsed() > job.timed { break; }
            let from = Instant::now();
            std::hint::black_box(decide(request));
            nanos.push(from.elapsed().as_nanos() as u64);
        }
        json!({ "answers": [], "nanos": nanos })
    }).collect();
    println!("{}", json!({ "version": version, "told": told }));
}
