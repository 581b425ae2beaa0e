//! The Cedar crate: the policies and entities of ../cedar.ts, with all entities in memory. Its answer is a verdict.

mod asked;

use cedar_policy::{
    get_sdk_version, Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicySet,
    Request, RestrictedExpression,
};
use serde_json::Value as Json;
use std::collections::{HashMap, HashSet};

fn uid(kind: &str, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.parse::<EntityTypeName>().unwrap(), EntityId::new(id))
}

fn references(kind: &str, table: &Json) -> RestrictedExpression {
    let ids = table.as_object().unwrap().keys();
    RestrictedExpression::new_set(ids.map(|id| RestrictedExpression::new_entity_uid(uid(kind, id))))
}

fn main() {
    let job = asked::read_job();
    let read = |name: &str| std::fs::read_to_string(format!("{}/{name}", job.folder)).unwrap();
    let data: Json = serde_json::from_str(&read("data.json")).unwrap();
    let policy = &data["portcullis"]["policy"];
    let text = |value: &Json| value.as_str().unwrap_or("").to_owned();
    let lanes = policy["lanes"].as_object().unwrap().iter().map(|(id, lane)| {
        let members = [("roles", references("Role", &lane["roles"])), ("tools", references("Tool", &lane["tools"]))];
        entity("Lane", id, members.into_iter())
    });
    let tools = policy["tools"].as_object().unwrap().iter().map(|(id, tool)| {
        let enabled = RestrictedExpression::new_bool(tool["enabled"].as_bool().unwrap_or(false));
        let status = RestrictedExpression::new_string(text(&tool["implementation_status"]));
        entity("Tool", id, [("enabled", enabled), ("status", status)].into_iter())
    });
    let entities = Entities::from_entities(lanes.chain(tools), None).unwrap();
    let policies: PolicySet = read("cedar.policy").parse().unwrap();
    let (authorizer, enter, use_tool) = (Authorizer::new(), uid("Action", "enter"), uid("Action", "use"));
    let role_type: EntityTypeName = "Role".parse().unwrap();
    let decider = |kind: &str, _: &str| {
        let is_lane = kind == "lane";
        let (authorizer, entities, policies, role_type) = (&authorizer, &entities, &policies, role_type.clone());
        let action = if is_lane { enter.clone() } else { use_tool.clone() };
        move |request: &[u8]| {
            let asked: HashMap<String, String> = serde_json::from_slice(request).unwrap();
            let role = EntityUid::from_type_name_and_id(role_type.clone(), EntityId::new(&asked["role"]));
            let lane = uid("Lane", &asked["lane"]);
            let (resource, context) = if is_lane {
                (lane, Context::empty())
            } else {
                let lane = ("lane".to_owned(), RestrictedExpression::new_entity_uid(lane));
                (uid("Tool", &asked["tool"]), Context::from_pairs([lane]).unwrap())
            };
            let request = Request::new(role, action.clone(), resource, context, None).unwrap();
            authorizer.is_authorized(&request, policies, entities).decision() == Decision::Allow
        }
    };
    asked::tell(&job, &get_sdk_version().to_string(), decider, Json::Bool);
}

fn entity(kind: &str, id: &str, members: impl Iterator<Item = (&'static str, RestrictedExpression)>) -> Entity {
    let members = members.map(|(name, value)| (name.to_owned(), value)).collect();
    Entity::new(uid(kind, id), members, HashSet::new()).unwrap()
}
