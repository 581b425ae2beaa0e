// @ts-nocheck: made by .ci/embed-schemas.mjs from sources/schema/*.json; do not edit.
/* eslint-disable */

export const exec = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:exec","title":"exec.yaml","type":"object","additionalProperties":false,"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"modes":{"description":"Names of the agent modes.","type":"array","items":{"type":"string"}},"inline_modes":{"description":"Modes in which inline code may run; default mode-init and break-glass.","type":"array","items":{"type":"string"}},"staging_root":{"description":"Absolute path of the folder below which scripts are staged, as <staging_root>/<contract_id>/<name>.","type":"string"},"script_extensions":{"description":"Default [.py].","type":"array","items":{"type":"string"}},"hat_lifetime_seconds":{"description":"Age beyond which a signed packet no longer counts; default none.","type":"integer","minimum":1}}};

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:exec" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "modes")) || (key0 === "inline_modes")) || (key0 === "staging_root")) || (key0 === "script_extensions")) || (key0 === "hat_lifetime_seconds"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err1 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err2 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err3 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.modes !== undefined){
let data3 = data.modes;
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
if(typeof data3[i0] !== "string"){
const err4 = {instancePath:instancePath+"/modes/" + i0,schemaPath:"#/properties/modes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath:instancePath+"/modes",schemaPath:"#/properties/modes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.inline_modes !== undefined){
let data5 = data.inline_modes;
if(Array.isArray(data5)){
const len1 = data5.length;
for(let i1=0; i1<len1; i1++){
if(typeof data5[i1] !== "string"){
const err6 = {instancePath:instancePath+"/inline_modes/" + i1,schemaPath:"#/properties/inline_modes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
else {
const err7 = {instancePath:instancePath+"/inline_modes",schemaPath:"#/properties/inline_modes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.staging_root !== undefined){
if(typeof data.staging_root !== "string"){
const err8 = {instancePath:instancePath+"/staging_root",schemaPath:"#/properties/staging_root/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.script_extensions !== undefined){
let data8 = data.script_extensions;
if(Array.isArray(data8)){
const len2 = data8.length;
for(let i2=0; i2<len2; i2++){
if(typeof data8[i2] !== "string"){
const err9 = {instancePath:instancePath+"/script_extensions/" + i2,schemaPath:"#/properties/script_extensions/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
else {
const err10 = {instancePath:instancePath+"/script_extensions",schemaPath:"#/properties/script_extensions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.hat_lifetime_seconds !== undefined){
let data10 = data.hat_lifetime_seconds;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err11 = {instancePath:instancePath+"/hat_lifetime_seconds",schemaPath:"#/properties/hat_lifetime_seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 < 1 || isNaN(data10)){
const err12 = {instancePath:instancePath+"/hat_lifetime_seconds",schemaPath:"#/properties/hat_lifetime_seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
}
else {
const err13 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const handoff = validate21;
const schema32 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:handoff","title":"handoff.yaml","type":"object","additionalProperties":false,"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"required_fields":{"description":"Further fields that a record must have, after the contract's own.","type":["array","null"],"items":{"type":"string"}},"forbidden_mutations":{"description":"Further top-level contracts that a sub-agent must not touch.","type":["array","null"],"items":{"type":"string"}},"placeholders":{"description":"Further first words that make a next action a placeholder.","type":["array","null"],"items":{"type":"string"}}}};

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:handoff" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "required_fields")) || (key0 === "forbidden_mutations")) || (key0 === "placeholders"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err1 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err2 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err3 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.required_fields !== undefined){
let data3 = data.required_fields;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err4 = {instancePath:instancePath+"/required_fields",schemaPath:"#/properties/required_fields/type",keyword:"type",params:{type: schema32.properties.required_fields.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
if(typeof data3[i0] !== "string"){
const err5 = {instancePath:instancePath+"/required_fields/" + i0,schemaPath:"#/properties/required_fields/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
}
if(data.forbidden_mutations !== undefined){
let data5 = data.forbidden_mutations;
if((!(Array.isArray(data5))) && (data5 !== null)){
const err6 = {instancePath:instancePath+"/forbidden_mutations",schemaPath:"#/properties/forbidden_mutations/type",keyword:"type",params:{type: schema32.properties.forbidden_mutations.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(Array.isArray(data5)){
const len1 = data5.length;
for(let i1=0; i1<len1; i1++){
if(typeof data5[i1] !== "string"){
const err7 = {instancePath:instancePath+"/forbidden_mutations/" + i1,schemaPath:"#/properties/forbidden_mutations/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
}
if(data.placeholders !== undefined){
let data7 = data.placeholders;
if((!(Array.isArray(data7))) && (data7 !== null)){
const err8 = {instancePath:instancePath+"/placeholders",schemaPath:"#/properties/placeholders/type",keyword:"type",params:{type: schema32.properties.placeholders.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(Array.isArray(data7)){
const len2 = data7.length;
for(let i2=0; i2<len2; i2++){
if(typeof data7[i2] !== "string"){
const err9 = {instancePath:instancePath+"/placeholders/" + i2,schemaPath:"#/properties/placeholders/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
}
}
else {
const err10 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const lanes = validate22;
const schema33 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:lanes","title":"lanes.yaml","type":"object","additionalProperties":false,"required":["lanes"],"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"lanes":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["lane_id","allowed_callers"],"properties":{"lane_id":{"description":"The id that decisions take as `lane`.","type":"string"},"purpose":{"type":"string"},"allowed_callers":{"type":"object","additionalProperties":false,"required":["roles"],"properties":{"roles":{"description":"Roles that may use the lane.","type":["array","null"],"items":{"type":"string"}}}},"allowed_actions":{"type":["object","null"],"additionalProperties":false,"properties":{"tools":{"description":"Tools that the lane may call.","type":["array","null"],"items":{"type":"string"}},"writes":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["table","mode"],"properties":{"table":{"type":"string"},"mode":{"type":"string"}}}}}},"scope":{"type":["object","null"],"additionalProperties":false,"properties":{"requires":{"type":["array","null"],"items":{"type":"string"}},"prohibits":{"type":["array","null"],"items":{"type":"string"}}}},"audit":{"description":"A note for people; no gate reads it.","type":"object","additionalProperties":false,"properties":{"required":{"type":"boolean"},"level":{"type":"string"}}}}}}}};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:lanes" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate22.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.lanes === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "lanes"},message:"must have required property '"+"lanes"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "lanes"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err2 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err3 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err4 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.lanes !== undefined){
let data3 = data.lanes;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err5 = {instancePath:instancePath+"/lanes",schemaPath:"#/properties/lanes/type",keyword:"type",params:{type: schema33.properties.lanes.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.lane_id === undefined){
const err6 = {instancePath:instancePath+"/lanes/" + i0,schemaPath:"#/properties/lanes/items/required",keyword:"required",params:{missingProperty: "lane_id"},message:"must have required property '"+"lane_id"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data4.allowed_callers === undefined){
const err7 = {instancePath:instancePath+"/lanes/" + i0,schemaPath:"#/properties/lanes/items/required",keyword:"required",params:{missingProperty: "allowed_callers"},message:"must have required property '"+"allowed_callers"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
for(const key1 in data4){
if(!((((((key1 === "lane_id") || (key1 === "purpose")) || (key1 === "allowed_callers")) || (key1 === "allowed_actions")) || (key1 === "scope")) || (key1 === "audit"))){
const err8 = {instancePath:instancePath+"/lanes/" + i0,schemaPath:"#/properties/lanes/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data4.lane_id !== undefined){
if(typeof data4.lane_id !== "string"){
const err9 = {instancePath:instancePath+"/lanes/" + i0+"/lane_id",schemaPath:"#/properties/lanes/items/properties/lane_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data4.purpose !== undefined){
if(typeof data4.purpose !== "string"){
const err10 = {instancePath:instancePath+"/lanes/" + i0+"/purpose",schemaPath:"#/properties/lanes/items/properties/purpose/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data4.allowed_callers !== undefined){
let data7 = data4.allowed_callers;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.roles === undefined){
const err11 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_callers",schemaPath:"#/properties/lanes/items/properties/allowed_callers/required",keyword:"required",params:{missingProperty: "roles"},message:"must have required property '"+"roles"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
for(const key2 in data7){
if(!(key2 === "roles")){
const err12 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_callers",schemaPath:"#/properties/lanes/items/properties/allowed_callers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data7.roles !== undefined){
let data8 = data7.roles;
if((!(Array.isArray(data8))) && (data8 !== null)){
const err13 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_callers/roles",schemaPath:"#/properties/lanes/items/properties/allowed_callers/properties/roles/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.allowed_callers.properties.roles.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(Array.isArray(data8)){
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
if(typeof data8[i1] !== "string"){
const err14 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_callers/roles/" + i1,schemaPath:"#/properties/lanes/items/properties/allowed_callers/properties/roles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
}
}
else {
const err15 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_callers",schemaPath:"#/properties/lanes/items/properties/allowed_callers/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data4.allowed_actions !== undefined){
let data10 = data4.allowed_actions;
if((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (data10 !== null)){
const err16 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions",schemaPath:"#/properties/lanes/items/properties/allowed_actions/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.allowed_actions.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
for(const key3 in data10){
if(!((key3 === "tools") || (key3 === "writes"))){
const err17 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions",schemaPath:"#/properties/lanes/items/properties/allowed_actions/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data10.tools !== undefined){
let data11 = data10.tools;
if((!(Array.isArray(data11))) && (data11 !== null)){
const err18 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/tools",schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/tools/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.allowed_actions.properties.tools.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(Array.isArray(data11)){
const len2 = data11.length;
for(let i2=0; i2<len2; i2++){
if(typeof data11[i2] !== "string"){
const err19 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/tools/" + i2,schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/tools/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
}
if(data10.writes !== undefined){
let data13 = data10.writes;
if((!(Array.isArray(data13))) && (data13 !== null)){
const err20 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes",schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.allowed_actions.properties.writes.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(Array.isArray(data13)){
const len3 = data13.length;
for(let i3=0; i3<len3; i3++){
let data14 = data13[i3];
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
if(data14.table === undefined){
const err21 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3,schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/required",keyword:"required",params:{missingProperty: "table"},message:"must have required property '"+"table"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data14.mode === undefined){
const err22 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3,schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/required",keyword:"required",params:{missingProperty: "mode"},message:"must have required property '"+"mode"+"'"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
for(const key4 in data14){
if(!((key4 === "table") || (key4 === "mode"))){
const err23 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3,schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data14.table !== undefined){
if(typeof data14.table !== "string"){
const err24 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3+"/table",schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/properties/table/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data14.mode !== undefined){
if(typeof data14.mode !== "string"){
const err25 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3+"/mode",schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/properties/mode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/lanes/" + i0+"/allowed_actions/writes/" + i3,schemaPath:"#/properties/lanes/items/properties/allowed_actions/properties/writes/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
}
}
}
}
if(data4.scope !== undefined){
let data17 = data4.scope;
if((!(data17 && typeof data17 == "object" && !Array.isArray(data17))) && (data17 !== null)){
const err27 = {instancePath:instancePath+"/lanes/" + i0+"/scope",schemaPath:"#/properties/lanes/items/properties/scope/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.scope.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
for(const key5 in data17){
if(!((key5 === "requires") || (key5 === "prohibits"))){
const err28 = {instancePath:instancePath+"/lanes/" + i0+"/scope",schemaPath:"#/properties/lanes/items/properties/scope/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data17.requires !== undefined){
let data18 = data17.requires;
if((!(Array.isArray(data18))) && (data18 !== null)){
const err29 = {instancePath:instancePath+"/lanes/" + i0+"/scope/requires",schemaPath:"#/properties/lanes/items/properties/scope/properties/requires/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.scope.properties.requires.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(Array.isArray(data18)){
const len4 = data18.length;
for(let i4=0; i4<len4; i4++){
if(typeof data18[i4] !== "string"){
const err30 = {instancePath:instancePath+"/lanes/" + i0+"/scope/requires/" + i4,schemaPath:"#/properties/lanes/items/properties/scope/properties/requires/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
}
if(data17.prohibits !== undefined){
let data20 = data17.prohibits;
if((!(Array.isArray(data20))) && (data20 !== null)){
const err31 = {instancePath:instancePath+"/lanes/" + i0+"/scope/prohibits",schemaPath:"#/properties/lanes/items/properties/scope/properties/prohibits/type",keyword:"type",params:{type: schema33.properties.lanes.items.properties.scope.properties.prohibits.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(Array.isArray(data20)){
const len5 = data20.length;
for(let i5=0; i5<len5; i5++){
if(typeof data20[i5] !== "string"){
const err32 = {instancePath:instancePath+"/lanes/" + i0+"/scope/prohibits/" + i5,schemaPath:"#/properties/lanes/items/properties/scope/properties/prohibits/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
}
}
}
}
if(data4.audit !== undefined){
let data22 = data4.audit;
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
for(const key6 in data22){
if(!((key6 === "required") || (key6 === "level"))){
const err33 = {instancePath:instancePath+"/lanes/" + i0+"/audit",schemaPath:"#/properties/lanes/items/properties/audit/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data22.required !== undefined){
if(typeof data22.required !== "boolean"){
const err34 = {instancePath:instancePath+"/lanes/" + i0+"/audit/required",schemaPath:"#/properties/lanes/items/properties/audit/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data22.level !== undefined){
if(typeof data22.level !== "string"){
const err35 = {instancePath:instancePath+"/lanes/" + i0+"/audit/level",schemaPath:"#/properties/lanes/items/properties/audit/properties/level/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
else {
const err36 = {instancePath:instancePath+"/lanes/" + i0+"/audit",schemaPath:"#/properties/lanes/items/properties/audit/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/lanes/" + i0,schemaPath:"#/properties/lanes/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
}
}
}
else {
const err38 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const manifest = validate23;
const schema34 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:manifest","title":"*.manifest.yaml, *.manifest.toml, manifests/*","type":"object","additionalProperties":false,"properties":{"agent_type":{"description":"Default: the file's name without extension.","type":"string"},"description":{"type":"string"},"can_spawn":{"description":"Agent types that it may spawn, exact names; default none.","type":["array","null"],"items":{"type":"string"}},"max_spawn_depth":{"description":"The deepest `spawn_depth` a child may have; default 0.","type":"integer","minimum":0,"maximum":4294967295},"allowed_tools":{"type":["array","null"],"items":{"type":"string"}},"path_allowlist":{"type":["array","null"],"items":{"type":"string"}},"network_egress":{"type":["array","null"],"items":{"type":"string"}}}};

function validate23(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:manifest" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate23.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(((((((key0 === "agent_type") || (key0 === "description")) || (key0 === "can_spawn")) || (key0 === "max_spawn_depth")) || (key0 === "allowed_tools")) || (key0 === "path_allowlist")) || (key0 === "network_egress"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.agent_type !== undefined){
if(typeof data.agent_type !== "string"){
const err1 = {instancePath:instancePath+"/agent_type",schemaPath:"#/properties/agent_type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.description !== undefined){
if(typeof data.description !== "string"){
const err2 = {instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.can_spawn !== undefined){
let data2 = data.can_spawn;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err3 = {instancePath:instancePath+"/can_spawn",schemaPath:"#/properties/can_spawn/type",keyword:"type",params:{type: schema34.properties.can_spawn.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
if(typeof data2[i0] !== "string"){
const err4 = {instancePath:instancePath+"/can_spawn/" + i0,schemaPath:"#/properties/can_spawn/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
}
if(data.max_spawn_depth !== undefined){
let data4 = data.max_spawn_depth;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
const err5 = {instancePath:instancePath+"/max_spawn_depth",schemaPath:"#/properties/max_spawn_depth/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 4294967295 || isNaN(data4)){
const err6 = {instancePath:instancePath+"/max_spawn_depth",schemaPath:"#/properties/max_spawn_depth/maximum",keyword:"maximum",params:{comparison: "<=", limit: 4294967295},message:"must be <= 4294967295"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data4 < 0 || isNaN(data4)){
const err7 = {instancePath:instancePath+"/max_spawn_depth",schemaPath:"#/properties/max_spawn_depth/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
if(data.allowed_tools !== undefined){
let data5 = data.allowed_tools;
if((!(Array.isArray(data5))) && (data5 !== null)){
const err8 = {instancePath:instancePath+"/allowed_tools",schemaPath:"#/properties/allowed_tools/type",keyword:"type",params:{type: schema34.properties.allowed_tools.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(Array.isArray(data5)){
const len1 = data5.length;
for(let i1=0; i1<len1; i1++){
if(typeof data5[i1] !== "string"){
const err9 = {instancePath:instancePath+"/allowed_tools/" + i1,schemaPath:"#/properties/allowed_tools/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
}
if(data.path_allowlist !== undefined){
let data7 = data.path_allowlist;
if((!(Array.isArray(data7))) && (data7 !== null)){
const err10 = {instancePath:instancePath+"/path_allowlist",schemaPath:"#/properties/path_allowlist/type",keyword:"type",params:{type: schema34.properties.path_allowlist.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(Array.isArray(data7)){
const len2 = data7.length;
for(let i2=0; i2<len2; i2++){
if(typeof data7[i2] !== "string"){
const err11 = {instancePath:instancePath+"/path_allowlist/" + i2,schemaPath:"#/properties/path_allowlist/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
}
if(data.network_egress !== undefined){
let data9 = data.network_egress;
if((!(Array.isArray(data9))) && (data9 !== null)){
const err12 = {instancePath:instancePath+"/network_egress",schemaPath:"#/properties/network_egress/type",keyword:"type",params:{type: schema34.properties.network_egress.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(Array.isArray(data9)){
const len3 = data9.length;
for(let i3=0; i3<len3; i3++){
if(typeof data9[i3] !== "string"){
const err13 = {instancePath:instancePath+"/network_egress/" + i3,schemaPath:"#/properties/network_egress/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
}
}
else {
const err14 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
validate23.errors = vErrors;
return errors === 0;
}
validate23.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const roles = validate24;
const schema35 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:roles","title":"roles.yaml","type":"object","additionalProperties":false,"required":["roles"],"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"roles":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["role_id"],"properties":{"role_id":{"description":"The id that decisions take as `role`.","type":"string"},"description":{"type":"string"},"class":{"type":"string"},"privileges":{"type":["object","null"],"additionalProperties":false,"properties":{"lanes":{"description":"Lanes that the role claims; the lane's own list decides.","type":["array","null"],"items":{"type":"string"}}}}}}}}};

function validate24(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:roles" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate24.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.roles === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "roles"},message:"must have required property '"+"roles"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "roles"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err2 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err3 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err4 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.roles !== undefined){
let data3 = data.roles;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err5 = {instancePath:instancePath+"/roles",schemaPath:"#/properties/roles/type",keyword:"type",params:{type: schema35.properties.roles.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.role_id === undefined){
const err6 = {instancePath:instancePath+"/roles/" + i0,schemaPath:"#/properties/roles/items/required",keyword:"required",params:{missingProperty: "role_id"},message:"must have required property '"+"role_id"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
for(const key1 in data4){
if(!((((key1 === "role_id") || (key1 === "description")) || (key1 === "class")) || (key1 === "privileges"))){
const err7 = {instancePath:instancePath+"/roles/" + i0,schemaPath:"#/properties/roles/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data4.role_id !== undefined){
if(typeof data4.role_id !== "string"){
const err8 = {instancePath:instancePath+"/roles/" + i0+"/role_id",schemaPath:"#/properties/roles/items/properties/role_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data4.description !== undefined){
if(typeof data4.description !== "string"){
const err9 = {instancePath:instancePath+"/roles/" + i0+"/description",schemaPath:"#/properties/roles/items/properties/description/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data4.class !== undefined){
if(typeof data4.class !== "string"){
const err10 = {instancePath:instancePath+"/roles/" + i0+"/class",schemaPath:"#/properties/roles/items/properties/class/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data4.privileges !== undefined){
let data8 = data4.privileges;
if((!(data8 && typeof data8 == "object" && !Array.isArray(data8))) && (data8 !== null)){
const err11 = {instancePath:instancePath+"/roles/" + i0+"/privileges",schemaPath:"#/properties/roles/items/properties/privileges/type",keyword:"type",params:{type: schema35.properties.roles.items.properties.privileges.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
for(const key2 in data8){
if(!(key2 === "lanes")){
const err12 = {instancePath:instancePath+"/roles/" + i0+"/privileges",schemaPath:"#/properties/roles/items/properties/privileges/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data8.lanes !== undefined){
let data9 = data8.lanes;
if((!(Array.isArray(data9))) && (data9 !== null)){
const err13 = {instancePath:instancePath+"/roles/" + i0+"/privileges/lanes",schemaPath:"#/properties/roles/items/properties/privileges/properties/lanes/type",keyword:"type",params:{type: schema35.properties.roles.items.properties.privileges.properties.lanes.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(Array.isArray(data9)){
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
if(typeof data9[i1] !== "string"){
const err14 = {instancePath:instancePath+"/roles/" + i0+"/privileges/lanes/" + i1,schemaPath:"#/properties/roles/items/properties/privileges/properties/lanes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
}
}
}
}
else {
const err15 = {instancePath:instancePath+"/roles/" + i0,schemaPath:"#/properties/roles/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
}
}
else {
const err16 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
validate24.errors = vErrors;
return errors === 0;
}
validate24.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const settings = validate25;
const schema36 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:settings","title":"portcullis.yaml","type":"object","additionalProperties":false,"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"subagents":{"type":["object","null"],"additionalProperties":false,"properties":{"unresolved":{"description":"What to do with an allowlisted subagent that has no instruction file or is not TYPE 2.","enum":["error","drop"]}}},"lineage":{"type":["object","null"],"additionalProperties":false,"properties":{"depth":{"description":"Whether `spawn_depth` must equal the position in the chain.","enum":["positional","reported"]},"max_chain":{"description":"Longer chains are malformed; default 64.","type":"integer","minimum":1,"maximum":65536},"roots":{"description":"Agent types that start chains: no finding when nothing can spawn them.","type":"array","items":{"type":"string"}}}},"rego":{"type":["object","null"],"additionalProperties":false,"properties":{"allow_builtins":{"description":"Non-deterministic builtins that the author's rules may call, if the host supplies them.","type":"array","items":{"type":"string"}}}},"bundle":{"type":["object","null"],"additionalProperties":false,"properties":{"revision":{"description":"Written to the bundle's manifest.","type":"string"}}}}};

function validate25(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:settings" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate25.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(((((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "subagents")) || (key0 === "lineage")) || (key0 === "rego")) || (key0 === "bundle"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err1 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err2 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err3 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.subagents !== undefined){
let data3 = data.subagents;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err4 = {instancePath:instancePath+"/subagents",schemaPath:"#/properties/subagents/type",keyword:"type",params:{type: schema36.properties.subagents.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(key1 === "unresolved")){
const err5 = {instancePath:instancePath+"/subagents",schemaPath:"#/properties/subagents/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data3.unresolved !== undefined){
let data4 = data3.unresolved;
if(!((data4 === "error") || (data4 === "drop"))){
const err6 = {instancePath:instancePath+"/subagents/unresolved",schemaPath:"#/properties/subagents/properties/unresolved/enum",keyword:"enum",params:{allowedValues: schema36.properties.subagents.properties.unresolved.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.lineage !== undefined){
let data5 = data.lineage;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
const err7 = {instancePath:instancePath+"/lineage",schemaPath:"#/properties/lineage/type",keyword:"type",params:{type: schema36.properties.lineage.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
for(const key2 in data5){
if(!(((key2 === "depth") || (key2 === "max_chain")) || (key2 === "roots"))){
const err8 = {instancePath:instancePath+"/lineage",schemaPath:"#/properties/lineage/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data5.depth !== undefined){
let data6 = data5.depth;
if(!((data6 === "positional") || (data6 === "reported"))){
const err9 = {instancePath:instancePath+"/lineage/depth",schemaPath:"#/properties/lineage/properties/depth/enum",keyword:"enum",params:{allowedValues: schema36.properties.lineage.properties.depth.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data5.max_chain !== undefined){
let data7 = data5.max_chain;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
const err10 = {instancePath:instancePath+"/lineage/max_chain",schemaPath:"#/properties/lineage/properties/max_chain/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 65536 || isNaN(data7)){
const err11 = {instancePath:instancePath+"/lineage/max_chain",schemaPath:"#/properties/lineage/properties/max_chain/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65536},message:"must be <= 65536"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data7 < 1 || isNaN(data7)){
const err12 = {instancePath:instancePath+"/lineage/max_chain",schemaPath:"#/properties/lineage/properties/max_chain/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
if(data5.roots !== undefined){
let data8 = data5.roots;
if(Array.isArray(data8)){
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
if(typeof data8[i0] !== "string"){
const err13 = {instancePath:instancePath+"/lineage/roots/" + i0,schemaPath:"#/properties/lineage/properties/roots/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
else {
const err14 = {instancePath:instancePath+"/lineage/roots",schemaPath:"#/properties/lineage/properties/roots/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
}
if(data.rego !== undefined){
let data10 = data.rego;
if((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (data10 !== null)){
const err15 = {instancePath:instancePath+"/rego",schemaPath:"#/properties/rego/type",keyword:"type",params:{type: schema36.properties.rego.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
for(const key3 in data10){
if(!(key3 === "allow_builtins")){
const err16 = {instancePath:instancePath+"/rego",schemaPath:"#/properties/rego/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data10.allow_builtins !== undefined){
let data11 = data10.allow_builtins;
if(Array.isArray(data11)){
const len1 = data11.length;
for(let i1=0; i1<len1; i1++){
if(typeof data11[i1] !== "string"){
const err17 = {instancePath:instancePath+"/rego/allow_builtins/" + i1,schemaPath:"#/properties/rego/properties/allow_builtins/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
else {
const err18 = {instancePath:instancePath+"/rego/allow_builtins",schemaPath:"#/properties/rego/properties/allow_builtins/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
}
if(data.bundle !== undefined){
let data13 = data.bundle;
if((!(data13 && typeof data13 == "object" && !Array.isArray(data13))) && (data13 !== null)){
const err19 = {instancePath:instancePath+"/bundle",schemaPath:"#/properties/bundle/type",keyword:"type",params:{type: schema36.properties.bundle.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
for(const key4 in data13){
if(!(key4 === "revision")){
const err20 = {instancePath:instancePath+"/bundle",schemaPath:"#/properties/bundle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data13.revision !== undefined){
if(typeof data13.revision !== "string"){
const err21 = {instancePath:instancePath+"/bundle/revision",schemaPath:"#/properties/bundle/properties/revision/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
}
}
else {
const err22 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
validate25.errors = vErrors;
return errors === 0;
}
validate25.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const tests = validate26;
const schema37 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:tests","title":"tests/*.yaml","type":"object","additionalProperties":false,"properties":{"description":{"type":"string"},"decision":{"description":"The decision that cases and matrices of this file ask for, unless they say so themselves.","enum":["lane","tool","subagent","lineage","handoff","exec","close"]},"cases":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["name","input","expect"],"properties":{"name":{"type":"string"},"decision":{"enum":["lane","tool","subagent","lineage","handoff","exec","close"]},"input":{"description":"Any value."},"expect":{"description":"The decision must contain this.","type":"object"}}}},"matrices":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["name","axes","allow"],"properties":{"name":{"type":"string"},"decision":{"enum":["lane","tool","subagent","lineage","handoff","exec","close"]},"axes":{"description":"Input key to its values: a list, or { every: roles | lanes | tools | agents | agent_types, also: [more] }.","type":"object"},"input":{"description":"The rest of the input, the same for all combinations.","type":"object"},"allow":{"description":"Combinations that are allowed, each axis to one value or a list of values; every other combination must be denied.","type":["array","null"],"items":{"type":"object"}},"expect":{"description":"What allowed combinations must contain besides `allowed: true`.","type":"object"}}}}}};

function validate26(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:tests" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate26.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((key0 === "description") || (key0 === "decision")) || (key0 === "cases")) || (key0 === "matrices"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.description !== undefined){
if(typeof data.description !== "string"){
const err1 = {instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.decision !== undefined){
let data1 = data.decision;
if(!(((((((data1 === "lane") || (data1 === "tool")) || (data1 === "subagent")) || (data1 === "lineage")) || (data1 === "handoff")) || (data1 === "exec")) || (data1 === "close"))){
const err2 = {instancePath:instancePath+"/decision",schemaPath:"#/properties/decision/enum",keyword:"enum",params:{allowedValues: schema37.properties.decision.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.cases !== undefined){
let data2 = data.cases;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err3 = {instancePath:instancePath+"/cases",schemaPath:"#/properties/cases/type",keyword:"type",params:{type: schema37.properties.cases.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.name === undefined){
const err4 = {instancePath:instancePath+"/cases/" + i0,schemaPath:"#/properties/cases/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data3.input === undefined){
const err5 = {instancePath:instancePath+"/cases/" + i0,schemaPath:"#/properties/cases/items/required",keyword:"required",params:{missingProperty: "input"},message:"must have required property '"+"input"+"'"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data3.expect === undefined){
const err6 = {instancePath:instancePath+"/cases/" + i0,schemaPath:"#/properties/cases/items/required",keyword:"required",params:{missingProperty: "expect"},message:"must have required property '"+"expect"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
for(const key1 in data3){
if(!((((key1 === "name") || (key1 === "decision")) || (key1 === "input")) || (key1 === "expect"))){
const err7 = {instancePath:instancePath+"/cases/" + i0,schemaPath:"#/properties/cases/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data3.name !== undefined){
if(typeof data3.name !== "string"){
const err8 = {instancePath:instancePath+"/cases/" + i0+"/name",schemaPath:"#/properties/cases/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data3.decision !== undefined){
let data5 = data3.decision;
if(!(((((((data5 === "lane") || (data5 === "tool")) || (data5 === "subagent")) || (data5 === "lineage")) || (data5 === "handoff")) || (data5 === "exec")) || (data5 === "close"))){
const err9 = {instancePath:instancePath+"/cases/" + i0+"/decision",schemaPath:"#/properties/cases/items/properties/decision/enum",keyword:"enum",params:{allowedValues: schema37.properties.cases.items.properties.decision.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data3.expect !== undefined){
let data6 = data3.expect;
if(!(data6 && typeof data6 == "object" && !Array.isArray(data6))){
const err10 = {instancePath:instancePath+"/cases/" + i0+"/expect",schemaPath:"#/properties/cases/items/properties/expect/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/cases/" + i0,schemaPath:"#/properties/cases/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
}
if(data.matrices !== undefined){
let data7 = data.matrices;
if((!(Array.isArray(data7))) && (data7 !== null)){
const err12 = {instancePath:instancePath+"/matrices",schemaPath:"#/properties/matrices/type",keyword:"type",params:{type: schema37.properties.matrices.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(Array.isArray(data7)){
const len1 = data7.length;
for(let i1=0; i1<len1; i1++){
let data8 = data7[i1];
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.name === undefined){
const err13 = {instancePath:instancePath+"/matrices/" + i1,schemaPath:"#/properties/matrices/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data8.axes === undefined){
const err14 = {instancePath:instancePath+"/matrices/" + i1,schemaPath:"#/properties/matrices/items/required",keyword:"required",params:{missingProperty: "axes"},message:"must have required property '"+"axes"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data8.allow === undefined){
const err15 = {instancePath:instancePath+"/matrices/" + i1,schemaPath:"#/properties/matrices/items/required",keyword:"required",params:{missingProperty: "allow"},message:"must have required property '"+"allow"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
for(const key2 in data8){
if(!((((((key2 === "name") || (key2 === "decision")) || (key2 === "axes")) || (key2 === "input")) || (key2 === "allow")) || (key2 === "expect"))){
const err16 = {instancePath:instancePath+"/matrices/" + i1,schemaPath:"#/properties/matrices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data8.name !== undefined){
if(typeof data8.name !== "string"){
const err17 = {instancePath:instancePath+"/matrices/" + i1+"/name",schemaPath:"#/properties/matrices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data8.decision !== undefined){
let data10 = data8.decision;
if(!(((((((data10 === "lane") || (data10 === "tool")) || (data10 === "subagent")) || (data10 === "lineage")) || (data10 === "handoff")) || (data10 === "exec")) || (data10 === "close"))){
const err18 = {instancePath:instancePath+"/matrices/" + i1+"/decision",schemaPath:"#/properties/matrices/items/properties/decision/enum",keyword:"enum",params:{allowedValues: schema37.properties.matrices.items.properties.decision.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data8.axes !== undefined){
let data11 = data8.axes;
if(!(data11 && typeof data11 == "object" && !Array.isArray(data11))){
const err19 = {instancePath:instancePath+"/matrices/" + i1+"/axes",schemaPath:"#/properties/matrices/items/properties/axes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data8.input !== undefined){
let data12 = data8.input;
if(!(data12 && typeof data12 == "object" && !Array.isArray(data12))){
const err20 = {instancePath:instancePath+"/matrices/" + i1+"/input",schemaPath:"#/properties/matrices/items/properties/input/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data8.allow !== undefined){
let data13 = data8.allow;
if((!(Array.isArray(data13))) && (data13 !== null)){
const err21 = {instancePath:instancePath+"/matrices/" + i1+"/allow",schemaPath:"#/properties/matrices/items/properties/allow/type",keyword:"type",params:{type: schema37.properties.matrices.items.properties.allow.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(Array.isArray(data13)){
const len2 = data13.length;
for(let i2=0; i2<len2; i2++){
let data14 = data13[i2];
if(!(data14 && typeof data14 == "object" && !Array.isArray(data14))){
const err22 = {instancePath:instancePath+"/matrices/" + i1+"/allow/" + i2,schemaPath:"#/properties/matrices/items/properties/allow/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
}
if(data8.expect !== undefined){
let data15 = data8.expect;
if(!(data15 && typeof data15 == "object" && !Array.isArray(data15))){
const err23 = {instancePath:instancePath+"/matrices/" + i1+"/expect",schemaPath:"#/properties/matrices/items/properties/expect/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
else {
const err24 = {instancePath:instancePath+"/matrices/" + i1,schemaPath:"#/properties/matrices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
}
}
else {
const err25 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
validate26.errors = vErrors;
return errors === 0;
}
validate26.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const tool_registry = validate27;
const schema38 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:portcullis:schema:tool_registry","title":"tool_registry.yaml","type":"object","additionalProperties":false,"required":["tools"],"properties":{"version":{"description":"Version of the policy file, as harness records cite it.","type":"string"},"contract_version":{"type":"string"},"last_updated":{"description":"A date; kept as text.","type":"string"},"tools":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"required":["tool_name"],"properties":{"tool_name":{"description":"The name that decisions take as `tool`.","type":"string"},"enabled":{"description":"Absent means denied.","type":"boolean"},"implementation_status":{"description":"Anything but `implemented` is denied.","type":"string"},"description":{"type":"string"},"status":{"type":"string"},"idempotent":{"type":"boolean"},"timeout_default_ms":{"type":"integer","minimum":0},"allowed_lanes":{"description":"Lanes that the tool is meant for; cross-checked, the lane's own list decides.","type":["array","null"],"items":{"type":"string"}},"required_scope_keys":{"type":["array","null"],"items":{"type":"string"}},"prohibited_flags":{"type":["array","null"],"items":{"type":"string"}},"write_targets":{"type":["array","null"],"items":{"type":"string"}},"returns_job_handle":{"type":"boolean"},"consumes_job_handle":{"type":"boolean"},"audit":{"type":"object","additionalProperties":false,"properties":{"required":{"type":"boolean"},"level":{"type":"string"}}}}}}}};
const func1 = Object.prototype.hasOwnProperty;

function validate27(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:portcullis:schema:tool_registry" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate27.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.tools === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "tools"},message:"must have required property '"+"tools"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "version") || (key0 === "contract_version")) || (key0 === "last_updated")) || (key0 === "tools"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.version !== undefined){
if(typeof data.version !== "string"){
const err2 = {instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.contract_version !== undefined){
if(typeof data.contract_version !== "string"){
const err3 = {instancePath:instancePath+"/contract_version",schemaPath:"#/properties/contract_version/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.last_updated !== undefined){
if(typeof data.last_updated !== "string"){
const err4 = {instancePath:instancePath+"/last_updated",schemaPath:"#/properties/last_updated/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.tools !== undefined){
let data3 = data.tools;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err5 = {instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/type",keyword:"type",params:{type: schema38.properties.tools.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.tool_name === undefined){
const err6 = {instancePath:instancePath+"/tools/" + i0,schemaPath:"#/properties/tools/items/required",keyword:"required",params:{missingProperty: "tool_name"},message:"must have required property '"+"tool_name"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
for(const key1 in data4){
if(!(func1.call(schema38.properties.tools.items.properties, key1))){
const err7 = {instancePath:instancePath+"/tools/" + i0,schemaPath:"#/properties/tools/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data4.tool_name !== undefined){
if(typeof data4.tool_name !== "string"){
const err8 = {instancePath:instancePath+"/tools/" + i0+"/tool_name",schemaPath:"#/properties/tools/items/properties/tool_name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data4.enabled !== undefined){
if(typeof data4.enabled !== "boolean"){
const err9 = {instancePath:instancePath+"/tools/" + i0+"/enabled",schemaPath:"#/properties/tools/items/properties/enabled/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data4.implementation_status !== undefined){
if(typeof data4.implementation_status !== "string"){
const err10 = {instancePath:instancePath+"/tools/" + i0+"/implementation_status",schemaPath:"#/properties/tools/items/properties/implementation_status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data4.description !== undefined){
if(typeof data4.description !== "string"){
const err11 = {instancePath:instancePath+"/tools/" + i0+"/description",schemaPath:"#/properties/tools/items/properties/description/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data4.status !== undefined){
if(typeof data4.status !== "string"){
const err12 = {instancePath:instancePath+"/tools/" + i0+"/status",schemaPath:"#/properties/tools/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data4.idempotent !== undefined){
if(typeof data4.idempotent !== "boolean"){
const err13 = {instancePath:instancePath+"/tools/" + i0+"/idempotent",schemaPath:"#/properties/tools/items/properties/idempotent/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data4.timeout_default_ms !== undefined){
let data11 = data4.timeout_default_ms;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
const err14 = {instancePath:instancePath+"/tools/" + i0+"/timeout_default_ms",schemaPath:"#/properties/tools/items/properties/timeout_default_ms/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 < 0 || isNaN(data11)){
const err15 = {instancePath:instancePath+"/tools/" + i0+"/timeout_default_ms",schemaPath:"#/properties/tools/items/properties/timeout_default_ms/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
if(data4.allowed_lanes !== undefined){
let data12 = data4.allowed_lanes;
if((!(Array.isArray(data12))) && (data12 !== null)){
const err16 = {instancePath:instancePath+"/tools/" + i0+"/allowed_lanes",schemaPath:"#/properties/tools/items/properties/allowed_lanes/type",keyword:"type",params:{type: schema38.properties.tools.items.properties.allowed_lanes.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(Array.isArray(data12)){
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
if(typeof data12[i1] !== "string"){
const err17 = {instancePath:instancePath+"/tools/" + i0+"/allowed_lanes/" + i1,schemaPath:"#/properties/tools/items/properties/allowed_lanes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
if(data4.required_scope_keys !== undefined){
let data14 = data4.required_scope_keys;
if((!(Array.isArray(data14))) && (data14 !== null)){
const err18 = {instancePath:instancePath+"/tools/" + i0+"/required_scope_keys",schemaPath:"#/properties/tools/items/properties/required_scope_keys/type",keyword:"type",params:{type: schema38.properties.tools.items.properties.required_scope_keys.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(Array.isArray(data14)){
const len2 = data14.length;
for(let i2=0; i2<len2; i2++){
if(typeof data14[i2] !== "string"){
const err19 = {instancePath:instancePath+"/tools/" + i0+"/required_scope_keys/" + i2,schemaPath:"#/properties/tools/items/properties/required_scope_keys/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
}
if(data4.prohibited_flags !== undefined){
let data16 = data4.prohibited_flags;
if((!(Array.isArray(data16))) && (data16 !== null)){
const err20 = {instancePath:instancePath+"/tools/" + i0+"/prohibited_flags",schemaPath:"#/properties/tools/items/properties/prohibited_flags/type",keyword:"type",params:{type: schema38.properties.tools.items.properties.prohibited_flags.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(Array.isArray(data16)){
const len3 = data16.length;
for(let i3=0; i3<len3; i3++){
if(typeof data16[i3] !== "string"){
const err21 = {instancePath:instancePath+"/tools/" + i0+"/prohibited_flags/" + i3,schemaPath:"#/properties/tools/items/properties/prohibited_flags/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
}
if(data4.write_targets !== undefined){
let data18 = data4.write_targets;
if((!(Array.isArray(data18))) && (data18 !== null)){
const err22 = {instancePath:instancePath+"/tools/" + i0+"/write_targets",schemaPath:"#/properties/tools/items/properties/write_targets/type",keyword:"type",params:{type: schema38.properties.tools.items.properties.write_targets.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(Array.isArray(data18)){
const len4 = data18.length;
for(let i4=0; i4<len4; i4++){
if(typeof data18[i4] !== "string"){
const err23 = {instancePath:instancePath+"/tools/" + i0+"/write_targets/" + i4,schemaPath:"#/properties/tools/items/properties/write_targets/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
}
if(data4.returns_job_handle !== undefined){
if(typeof data4.returns_job_handle !== "boolean"){
const err24 = {instancePath:instancePath+"/tools/" + i0+"/returns_job_handle",schemaPath:"#/properties/tools/items/properties/returns_job_handle/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data4.consumes_job_handle !== undefined){
if(typeof data4.consumes_job_handle !== "boolean"){
const err25 = {instancePath:instancePath+"/tools/" + i0+"/consumes_job_handle",schemaPath:"#/properties/tools/items/properties/consumes_job_handle/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data4.audit !== undefined){
let data22 = data4.audit;
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
for(const key2 in data22){
if(!((key2 === "required") || (key2 === "level"))){
const err26 = {instancePath:instancePath+"/tools/" + i0+"/audit",schemaPath:"#/properties/tools/items/properties/audit/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data22.required !== undefined){
if(typeof data22.required !== "boolean"){
const err27 = {instancePath:instancePath+"/tools/" + i0+"/audit/required",schemaPath:"#/properties/tools/items/properties/audit/properties/required/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data22.level !== undefined){
if(typeof data22.level !== "string"){
const err28 = {instancePath:instancePath+"/tools/" + i0+"/audit/level",schemaPath:"#/properties/tools/items/properties/audit/properties/level/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
else {
const err29 = {instancePath:instancePath+"/tools/" + i0+"/audit",schemaPath:"#/properties/tools/items/properties/audit/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/tools/" + i0,schemaPath:"#/properties/tools/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
}
}
else {
const err31 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
validate27.errors = vErrors;
return errors === 0;
}
validate27.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
export const knownKeys = {
 "exec": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "modes",
   "inline_modes",
   "staging_root",
   "script_extensions",
   "hat_lifetime_seconds"
  ]
 },
 "handoff": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "required_fields",
   "forbidden_mutations",
   "placeholders"
  ]
 },
 "lanes": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "lanes"
  ],
  "#/properties/lanes/items/additionalProperties": [
   "lane_id",
   "purpose",
   "allowed_callers",
   "allowed_actions",
   "scope",
   "audit"
  ],
  "#/properties/lanes/items/properties/allowed_callers/additionalProperties": [
   "roles"
  ],
  "#/properties/lanes/items/properties/allowed_actions/additionalProperties": [
   "tools",
   "writes"
  ],
  "#/properties/lanes/items/properties/allowed_actions/properties/writes/items/additionalProperties": [
   "table",
   "mode"
  ],
  "#/properties/lanes/items/properties/scope/additionalProperties": [
   "requires",
   "prohibits"
  ],
  "#/properties/lanes/items/properties/audit/additionalProperties": [
   "required",
   "level"
  ]
 },
 "manifest": {
  "#/additionalProperties": [
   "agent_type",
   "description",
   "can_spawn",
   "max_spawn_depth",
   "allowed_tools",
   "path_allowlist",
   "network_egress"
  ]
 },
 "roles": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "roles"
  ],
  "#/properties/roles/items/additionalProperties": [
   "role_id",
   "description",
   "class",
   "privileges"
  ],
  "#/properties/roles/items/properties/privileges/additionalProperties": [
   "lanes"
  ]
 },
 "settings": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "subagents",
   "lineage",
   "rego",
   "bundle"
  ],
  "#/properties/subagents/additionalProperties": [
   "unresolved"
  ],
  "#/properties/lineage/additionalProperties": [
   "depth",
   "max_chain",
   "roots"
  ],
  "#/properties/rego/additionalProperties": [
   "allow_builtins"
  ],
  "#/properties/bundle/additionalProperties": [
   "revision"
  ]
 },
 "tests": {
  "#/additionalProperties": [
   "description",
   "decision",
   "cases",
   "matrices"
  ],
  "#/properties/cases/items/additionalProperties": [
   "name",
   "decision",
   "input",
   "expect"
  ],
  "#/properties/matrices/items/additionalProperties": [
   "name",
   "decision",
   "axes",
   "input",
   "allow",
   "expect"
  ]
 },
 "tool_registry": {
  "#/additionalProperties": [
   "version",
   "contract_version",
   "last_updated",
   "tools"
  ],
  "#/properties/tools/items/additionalProperties": [
   "tool_name",
   "enabled",
   "implementation_status",
   "description",
   "status",
   "idempotent",
   "timeout_default_ms",
   "allowed_lanes",
   "required_scope_keys",
   "prohibited_flags",
   "write_targets",
   "returns_job_handle",
   "consumes_job_handle",
   "audit"
  ],
  "#/properties/tools/items/properties/audit/additionalProperties": [
   "required",
   "level"
  ]
 }
};
