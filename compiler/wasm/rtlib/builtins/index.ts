// Every builtin that rtlib offers: a builtin is native exactly when this file exports `builtin_<name, dots as _>`.

export { builtin_equal, builtin_neq } from "./comparison";
