// Runs a test program for wasm32-wasip1: a runner for Cargo.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
import { allowRelaxedVectors } from "./relaxed.js";

allowRelaxedVectors();
const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [file, ...args], env: process.env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
