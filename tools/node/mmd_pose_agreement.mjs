// Poses PMX models by VMD motions, once by npm babylon-mmd running and once by the command, and prints
// how far bones are apart after append and IK, without physics.
// Usage: npm ci --prefix tools/node/witness
//        node tools/node/mmd_pose_agreement.mjs COMMAND FILE.pmx|FILE.vmd ...
// A motion is played on the model given before it. Exit code 1 where the dialect babylon is more than a
// thousandth of a unit (0.08 mm) away.
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';

const kTolerance = 1e-3;
const kFrames = 40;
const [command, ...files] = process.argv.slice(2);
if (!command || files.length === 0) {
  console.error('usage: mmd_pose_agreement.mjs COMMAND FILE.pmx|FILE.vmd ...');
  process.exit(2);
}
const { load } = await import('./witness/player.mjs');

const row = (...cells) => console.log('| ' + cells.join(' | ') + ' |');
const flexor = (...args) =>
  JSON.parse(execFileSync(command, [...args, '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 30 }));

/** The largest distance over frames and bones, in units of the file, and where it is. */
async function apart(model, motion, dialect) {
  const clip = ['--motion', motion, '--clip', '0'];
  const same = ['--unit', '1', '--physics', 'off', '--mmd-dialect', dialect];
  const last = flexor('info', model, '--motion', motion, '--json').clips[0].frames - 1;
  const step = Math.max(1, Math.floor(last / kFrames));
  const ours = flexor('pose', model, ...clip, '--frames', `0:${last}:${step}`, ...same).frames;
  const theirs = await load(model, motion);
  let worst = { distance: 0, bone: '', frame: 0 };
  for (const { frame, nodes } of ours) {
    theirs.bones(frame).forEach(({ name, position: [x, y, z] }, i) => {
      if (nodes[i].name !== name) throw new Error(`bone ${i} is ${nodes[i].name} here, ${name} there`);
      const at = nodes[i].model_from_node.map((r) => r[3]);
      const distance = Math.hypot(at[0] - x, at[1] - y, at[2] + z);
      if (!(distance <= worst.distance)) worst = { distance, bone: name, frame };
    });
  }
  theirs.close();
  return { ...worst, frames: ours.length };
}

row('model', 'motion', 'frames', 'babylon', 'at', 'umt', 'saba');
row('---', '---', '---', '---', '---', '---', '---');
let model = null;
let bad = 0;
for (const file of files) {
  if (file.endsWith('.pmx')) {
    model = file;
    continue;
  }
  const babylon = await apart(model, file, 'babylon');
  if (!(babylon.distance <= kTolerance)) bad++;
  const others = [];
  for (const dialect of ['umt', 'saba']) others.push((await apart(model, file, dialect)).distance);
  const at = babylon.distance > kTolerance ? `${babylon.bone}, frame ${babylon.frame}` : '';
  row(basename(model), basename(file), babylon.frames, babylon.distance.toExponential(1), at,
      ...others.map((x) => x.toExponential(1)));
}
process.exit(bad > 0 ? 1 : 0);
