// Runs the Khronos validator over glTF and GLB files and prints one JSON object for all of them.
//
//   node tools/node/validate_gltf.mjs FILE...
//
//   {"validator": "2.0.0-dev.3.10", "files": [{"file", "errors", "warnings", "infos", "hints",
//    "messages": [{"code", "severity", "pointer", "message"}]}], "errors", "warnings"}
//
// Findings about the binary container have "offset", in bytes, instead of a pointer.
//
// Exit code 0 when no file has an error, 5 when one has, 2 on wrong usage, 6 without the validator.

import { readFile } from "node:fs/promises";
import path from "node:path";

const SEVERITIES = ["error", "warning", "info", "hint"];

async function loadValidator() {
  try {
    return (await import("gltf-validator")).default;
  } catch {
    console.error("validate_gltf: the validator is not installed; run tools/node/setup");
    process.exit(6);
  }
}

// Neighbours of a .gltf, by their decoded relative names.
function neighbours(file) {
  return async (uri) => new Uint8Array(await readFile(path.resolve(path.dirname(file), decodeURIComponent(uri))));
}

async function validate(validator, file) {
  const entry = { file, errors: 0, warnings: 0, infos: 0, hints: 0, messages: [] };
  try {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
      uri: path.basename(file),
      externalResourceFunction: neighbours(file),
      maxIssues: 0,
      writeTimestamp: false,
    });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    Object.assign(entry, { errors: numErrors, warnings: numWarnings, infos: numInfos, hints: numHints });
    entry.messages = messages.map(({ code, severity, pointer, offset, message }) => ({
      code,
      severity: SEVERITIES[severity],
      pointer: pointer ?? "",
      ...(offset === undefined ? {} : { offset }),
      message,
    }));
  } catch (reason) {
    entry.errors = 1;
    entry.messages = [{ code: "UNREADABLE", severity: "error", pointer: "", message: String(reason) }];
  }
  return entry;
}

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error("usage: node validate_gltf.mjs FILE...");
  process.exit(2);
}
const validator = await loadValidator();
const files = [];
for (const name of names) files.push(await validate(validator, name));
const sum = (key) => files.reduce((total, file) => total + file[key], 0);
const result = { validator: validator.version(), files, errors: sum("errors"), warnings: sum("warnings") };
console.log(JSON.stringify(result, null, 1));
process.exitCode = result.errors > 0 ? 5 : 0;
