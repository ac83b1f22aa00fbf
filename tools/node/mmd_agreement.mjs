// Reads PMX models and VMD motions by an independent parser (npm mmd-parser) and by the command, and
// prints how far they are apart.
// Usage: node tools/node/mmd_agreement.mjs COMMAND FILE.pmx|FILE.vmd ...
// A motion is compared on the model given before it: at each of its keys, the rotation and
// translation of the bone before append and IK.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const { Parser } = createRequire(import.meta.url)('mmd-parser');
const parser = new Parser();
const [command, ...files] = process.argv.slice(2);
if (!command || files.length === 0) {
  console.error('usage: mmd_agreement.mjs COMMAND FILE.pmx|FILE.vmd ...');
  process.exit(2);
}

const bytesOf = (file) => {
  const b = readFileSync(file);
  return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
};
const flexor = (...args) =>
  execFileSync(command, [...args, '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 30 });
// The other parser reads z and w of the file's axes; the command mirrors Z.
const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
const row = (...cells) => console.log('| ' + cells.join(' | ') + ' |');

const folder = mkdtempSync(join(tmpdir(), 'mmd-agreement-'));
let model = null; // the last one: { path, bones }
let worst = 0;
const exact = (x) => {
  worst = Math.max(worst, x);
  return x.toExponential(1);
};

row('file', 'compared', 'positions apart (units)', 'turned apart', 'names, parents, counts');
row('---', '---', '---', '---', '---');
for (const file of files) {
  const name = basename(file);
  if (file.endsWith('.pmx')) {
    let other;
    try {
      other = parser.parsePmx(bytesOf(file), false);
    } catch (error) {
      // It takes every text for UTF-16.
      row(name, 'refused by the other parser', '', '', error.message);
      continue;
    }
    const ours = JSON.parse(flexor('pose', file, '--unit', '1', '--rest', '--ik', 'off')).frames[0].nodes;
    const info = JSON.parse(flexor('info', file, '--json'));
    let positions = 0;
    let differs = other.bones.length === ours.length ? 0 : 1;
    other.bones.forEach((bone, i) => {
      const [x, y, z] = bone.position;
      const at = ours[i].model_from_node.map((r) => r[3]);
      positions = Math.max(positions, apart([x, y, -z], at));
      if (bone.name !== ours[i].name || bone.parentIndex !== ours[i].parent) differs++;
    });
    const counts = [
      [other.vertices.length, info.vertices],
      [other.faces.length, info.triangles],
      [other.materials.length, info.materials],
      [other.morphs.length, info.mmd.morphs],
      [other.rigidBodies.length, info.mmd.bodies],
      [other.bones.filter((b) => b.ik).length, info.mmd.ik],
    ];
    for (const [a, b] of counts) if (a !== b) differs++;
    if (other.vertices.length > 0) {
      const obj = join(folder, 'rest.obj');
      flexor('bake', file, '--rest', '--unit', '1', '--method', 'lbs', '--backend', 'reference', '-o', obj);
      const points = readFileSync(obj, 'utf8').split('\n').filter((l) => l.startsWith('v '));
      if (points.length !== other.vertices.length) differs++;
      points.forEach((line, i) => {
        const [x, y, z] = other.vertices[i].position;
        positions = Math.max(positions, apart([x, y, -z], line.slice(2).split(' ').map(Number)));
      });
    }
    model = { path: file, nodes: ours };
    row(name, `${other.vertices.length} vertices, ${other.bones.length} bones`, exact(positions), '',
        differs === 0 ? 'equal' : `${differs} differ`);
    if (differs) worst = Infinity;
  } else {
    if (!model) throw new Error('a motion needs a model before it');
    const other = parser.parseVmd(bytesOf(file), false);
    const index = new Map();
    model.nodes.forEach((n, i) => { if (!index.has(n.name)) index.set(n.name, i); });
    // Of keys of one bone at one frame the last counts.
    const keys = new Map();
    for (const key of other.motions) {
      if (index.has(key.boneName)) keys.set(`${key.boneName}\0${key.frameNum}`, key);
    }
    let turned = 0;
    let moved = 0;
    const frames = [...new Set([...keys.values()].map((k) => k.frameNum))];
    for (const frame of frames) {
      const posed = JSON.parse(flexor('pose', model.path, '--motion', file, '--unit', '1', '--frame',
                                      String(frame), '--stages')).frames[0].nodes;
      for (const key of keys.values()) {
        if (key.frameNum !== frame) continue;
        const i = index.get(key.boneName);
        const local = posed[i].stages.local;
        const length = Math.hypot(...key.rotation) || 1;
        const [x, y, z, w] = key.rotation.map((v) => v / length);
        const q = [-x, -y, z, Math.hypot(...key.rotation) ? w : 1];
        const dot = q.reduce((sum, v, k) => sum + v * local.rotation[k], 0);
        turned = Math.max(turned, apart(q.map((v) => v * Math.sign(dot || 1)), local.rotation));
        const rest = model.nodes[i].model_from_node.map((r) => r[3]);
        const p = model.nodes[i].parent;
        const from = p < 0 ? [0, 0, 0] : model.nodes[p].model_from_node.map((r) => r[3]);
        const [tx, ty, tz] = key.position;
        const want = [tx, ty, -tz].map((v, k) => v + rest[k] - from[k]);
        moved = Math.max(moved, apart(want, local.translation));
      }
    }
    row(`${name} on ${basename(model.path)}`, `${keys.size} keys in ${frames.length} frames`,
        exact(moved), exact(turned), `${other.motions.length} bone keys in the file`);
  }
}
rmSync(folder, { recursive: true });
// Floats of some tens of units hold six digits.
process.exit(worst < 1e-4 ? 0 : 1);
