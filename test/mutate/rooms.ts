/** The rooms in which a test must detect a change of every operator, condition and constant. */
export const ROOMS: readonly string[] = [
  'src/shared/protocol',
  'src/client/decide',
  'src/client/detect',
  'src/service/rules',
  'src/service/auth',
  'src/service/update',
]

/** Tests that run within one process. The others start programs, read the source, or take long and reach little. */
export const isUnitTest = (path: string): boolean =>
  path.endsWith('.test.ts') &&
  !/^test\/(e2e|system|browser|packages|long|architecture|bench|mutate|simulation|shared\/(platform|settings|base|program)|client\/(settings|services\/providers)|service\/settings)\//.test(
    path,
  ) &&
  !/service\/api\/(fuzz|properties|security|concurrency)/.test(path)

/** Of the detection, what decides: sources and watchers are tested with a network. */
export const isMutated = (path: string): boolean =>
  !/^src\/client\/(decide\/file-name|detect\/(sources\/|watch\/|address-detection|binding|detection|survey))/.test(
    path,
  )
