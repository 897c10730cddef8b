// Queries over a Perfetto trace by Perfetto's own trace processor: node query.mjs FILE 'SQL' ['SQL' ...]
//
// Prints a JSON list with, per query, the list of its rows as objects by column. An error of the trace processor ends with status 1 and one
// line. The bundle is made for a browser's worker: it gets what it needs of one. Its messages are protos/perfetto/trace_processor/
// trace_processor.proto (TraceProcessorRpc, QueryResult) of the Perfetto repository.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const APPEND = 1, FINALIZE = 2, QUERY = 3; // TraceProcessorMethod
const PORTION = 16 << 20;

class Writer {
  bytes = [];
  varint(n) {
    for (n = BigInt(n); n > 127n; n >>= 7n) this.bytes.push(Number(n & 127n) | 128);
    this.bytes.push(Number(n));
  }
  number(field, n) {
    this.varint(field << 3);
    this.varint(n);
    return this;
  }
  head(field, length) {
    this.varint((field << 3) | 2);
    this.varint(length);
    return this;
  }
}

const concat = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Uint8Array.from(part.bytes ?? part))));
const field = (number, bytes) => concat(new Writer().head(number, bytes.length), bytes);

function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    switch (tag & 7) {
      case 0: yield [tag >> 3, varint()]; break;
      case 1: at += 8; yield [tag >> 3, bytes.subarray(at - 8, at)]; break;
      case 2: {
        const length = Number(varint());
        at += length;
        yield [tag >> 3, bytes.subarray(at - length, at)];
        break;
      }
      case 5: at += 4; yield [tag >> 3, bytes.subarray(at - 4, at)]; break;
      default: throw new Error(`wire type ${tag & 7}`);
    }
  }
}

function* packed(bytes) {
  for (let at = 0; at < bytes.length; ) {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    yield BigInt.asIntN(64, value);
  }
}

const text = (bytes) => new TextDecoder().decode(bytes);
const number = (n) => (n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n.toString());

function start(folder) {
  const replies = [];
  const self = { location: { href: 'https://localhost/' }, onmessage: null };
  class XMLHttpRequest {
    open(_, url) {
      this.url = url;
    }
    send() {
      this.response = readFileSync(join(folder, this.url));
    }
  }
  // Only the 32-bit module is in the package; the bundle asks with this small module whether it may use the other.
  const Module = function (bytes) {
    const asks = bytes[8] === 5 && bytes[11] === 4; // a section of memories, and one of 64 bits
    if (asks) throw new Error('no 64-bit memories');
    return new WebAssembly.Module(bytes);
  };
  const wasm = Object.create(WebAssembly, { Module: { value: Module } });
  const quiet = { log() {}, warn() {}, error() {}, info() {}, debug() {} };
  const source = readFileSync(join(folder, 'engine_bundle.node.js'), 'utf8');
  const run = new Function('self', 'WorkerGlobalScope', 'XMLHttpRequest', 'WebAssembly', 'console', 'process', source);
  run(self, Object, XMLHttpRequest, wasm, quiet, undefined);
  const port = { postMessage: (bytes) => replies.push(bytes) };
  self.onmessage({ data: port });
  return { port, replies };
}

/** The messages that come back for one request. */
function call({ port, replies }, seq, method, rest = new Uint8Array()) {
  const rpc = concat(new Writer().number(1, seq).number(2, method), rest);
  replies.length = 0;
  port.onmessage({ data: field(1, rpc) });
  const answers = [];
  for (const [, message] of fields(concat(...replies))) {
    const answer = new Map(fields(message));
    if (answer.has(5)) throw new Error(text(answer.get(5)));
    answers.push(answer);
  }
  return answers;
}

function rows(answers) {
  const columns = [], cells = [];
  for (const answer of answers) {
    for (const [number_, value] of fields(answer.get(203) ?? new Uint8Array())) {
      if (number_ === 1) columns.push(text(value));
      if (number_ === 2) throw new Error(text(value));
      if (number_ === 3) cells.push(...batch(value));
    }
  }
  const out = [];
  for (let at = 0; at < cells.length; at += columns.length) {
    out.push(Object.fromEntries(columns.map((name, nth) => [name, cells[at + nth]])));
  }
  return out;
}

function batch(bytes) {
  const kinds = [], numbers = [], floats = [];
  let texts = [];
  for (const [number_, value] of fields(bytes)) {
    if (number_ === 1) kinds.push(...packed(value));
    if (number_ === 2) numbers.push(...packed(value));
    if (number_ === 3) for (let at = 0; at < value.length; at += 8) floats.push(Buffer.from(value).readDoubleLE(at));
    if (number_ === 5) texts = text(value).split('\0');
  }
  const next = { 1: () => null, 2: () => number(numbers.shift()), 3: () => floats.shift(), 4: () => texts.shift(), 5: () => '(bytes)' };
  return kinds.map((kind) => next[kind]());
}

const [file, ...queries] = process.argv.slice(2);
const folder = execFileSync(process.execPath, [join(import.meta.dirname, 'fetch.mjs')], { encoding: 'utf8' }).trim();
const engine = start(folder);
await new Promise((resolve) => setTimeout(resolve, 0)); // the module is ready after the tasks it has put off
try {
  let seq = 0;
  const trace = readFileSync(file);
  for (let at = 0; at < trace.length; at += PORTION) {
    const [answer] = call(engine, seq++, APPEND, field(101, trace.subarray(at, at + PORTION)));
    const error = new Map(fields(answer.get(201) ?? new Uint8Array())).get(2);
    if (error) throw new Error(text(error));
  }
  call(engine, seq++, FINALIZE);
  const results = queries.map((sql) => rows(call(engine, seq++, QUERY, field(103, field(1, new TextEncoder().encode(sql))))));
  console.log(JSON.stringify(results));
} catch (error) {
  console.error(`${file}: ${String(error.message ?? error).split('\n')[0]}`);
  process.exitCode = 1;
}
