"""A policy's module in wasmtime, by OPA's ABI 1.2: what decides in each of Spark's Python processes.

`pip install wasmtime`. The module is `policy.wasm` of a bundle (`tar -xzOf bundle.tar.gz /policy.wasm`), built with the policy's data
in it. Spark verifies no signature: `portcullis verify` the bundle first.
"""

import json

import wasmtime

PAGE = 65536
# A request of this size and all that comes of it. More is no answer.
MOST_PAGES = 4096


class Policy:
    """Decides requests that are JSON text.

    Cost: some 20 ms to compile the module, once; then one call into it a request. Not for several threads at once.
    """

    def __init__(self, module: bytes):
        engine = wasmtime.Engine()
        self._module = wasmtime.Module(engine, module)
        self._engine = engine
        self._start()
        builtins = self._json(self._call("builtins"))
        if builtins:
            raise ValueError(f"the policy asks its host for {', '.join(sorted(builtins))}: decide with portcullis replay")
        self.entrypoints = self._json(self._call("entrypoints"))

    def decide(self, entrypoint: str, request: str):
        """The answer to one request; `None` where there is none, whatever the cause. Only an answer that says so allows."""
        number = self.entrypoints.get(entrypoint)
        if number is None:
            return None
        try:
            text = request.encode()
            at, end = self._heap, self._heap + len(text)
            self._make_room(end)
            self._memory.write(self._store, text, at)
            answers = json.loads(self._text(self._call("opa_eval", 0, number, self._data, at, len(text), end, 0)))
            return answers[0]["result"] if len(answers) == 1 else None
        except (wasmtime.WasmtimeError, wasmtime.Trap, ValueError, KeyError, TypeError, IndexError):
            # What an evaluation that ended early left behind is thrown away.
            self._start()
            return None

    def _start(self):
        self._store = wasmtime.Store(self._engine)
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(self._least_pages(), MOST_PAGES)))
        linker = wasmtime.Linker(self._engine)
        linker.define(self._store, "env", "memory", self._memory)
        for name, count, answers in [("opa_abort", 1, 0), ("opa_println", 1, 0)] + [
            (f"opa_builtin{n}", n + 2, 1) for n in range(5)
        ]:
            i32 = wasmtime.ValType.i32()
            linker.define_func("env", name, wasmtime.FuncType([i32] * count, [i32] * answers), self._refuse)
        exports = linker.instantiate(self._store, self._module).exports(self._store)
        self._functions = {one.name: exports[one.name] for one in self._module.exports}
        self._data = self._call("opa_value_parse", *self._written(b"{}"))
        self._heap = self._call("opa_heap_ptr_get")

    def _refuse(self, *_):
        raise wasmtime.Trap("the module asked its host")

    def _least_pages(self) -> int:
        return next(one.type.limits.min for one in self._module.imports if one.name == "memory")

    def _call(self, name, *args):
        return self._functions[name](self._store, *args)

    def _written(self, text: bytes):
        at = self._call("opa_malloc", len(text))
        self._memory.write(self._store, text, at)
        return at, len(text)

    def _make_room(self, end: int):
        missing = end - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // PAGE))

    def _text(self, at: int) -> str:
        size = 1024
        while True:
            piece = self._memory.read(self._store, at, at + size)
            end = piece.find(0)
            if end >= 0:
                return piece[:end].decode()
            if len(piece) < size:
                raise ValueError("a text of the module has no end")
            size *= 16

    def _json(self, value: int):
        return json.loads(self._text(self._call("opa_json_dump", value)))
