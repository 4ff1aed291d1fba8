import { setFlagsFromString } from "node:v8";

/** Lets this Node.js run modules with relaxed vectors: before version 22 it has them behind a switch. */
export function allowRelaxedVectors() {
  if (Number(process.versions.node.split(".")[0]) < 22) setFlagsFromString("--experimental-wasm-relaxed-simd");
}
