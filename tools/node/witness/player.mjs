// Poses a PMX model by npm babylon-mmd, without a window and without physics.
import './extensionless.mjs';
import { readFileSync } from 'node:fs';

const { NullEngine } = await import('@babylonjs/core/Engines/nullEngine.js');
const { Scene } = await import('@babylonjs/core/scene.js');
const { Logger } = await import('@babylonjs/core/Misc/logger.js');
const { LoadAssetContainerAsync } = await import('@babylonjs/core/Loading/sceneLoader.js');
await import('@babylonjs/core/Meshes/index.js');
await import('babylon-mmd/esm/Loader/pmxLoader.js');
const { MmdRuntime } = await import('babylon-mmd/esm/Runtime/mmdRuntime.js');
const { VmdLoader } = await import('babylon-mmd/esm/Loader/vmdLoader.js');
await import('babylon-mmd/esm/Runtime/Animation/mmdRuntimeModelAnimation.js');

Logger.LogLevels = Logger.NoneLogLevel;
const engine = new NullEngine();

/** The model of a file with a motion; bones(frame) gives { name, position: [x, y, z] } of each bone
 *  in the order of the file, in its left-handed space and units. */
export async function load(modelFile, motionFile) {
  const scene = new Scene(engine);
  const container = await LoadAssetContainerAsync(new Uint8Array(readFileSync(modelFile)), scene, {
    pluginExtension: '.pmx',
    pluginOptions: { mmdmodel: { materialBuilder: null } },
  });
  container.addAllToScene();
  const model = new MmdRuntime(scene, null).createMmdModel(container.meshes[0], {
    materialProxyConstructor: null,
  });
  const bytes = readFileSync(motionFile);
  const motion = await new VmdLoader(scene).loadFromBufferAsync(
    'motion', bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  model.setRuntimeAnimation(model.createRuntimeAnimation(motion));
  return {
    bones(frame) {
      model.beforePhysics(frame);
      model.afterPhysics();
      const m = model.worldTransformMatrices;
      return model.runtimeBones.map((bone, i) => ({
        name: bone.name,
        position: [m[i * 16 + 12], m[i * 16 + 13], m[i * 16 + 14]],
      }));
    },
    close: () => scene.dispose(),
  };
}
