/** The rooms in which a test must detect a change of every operator, condition and constant. */
export const ROOMS: readonly string[] = [
  'src/protocol',
  'src/client/decide',
  'src/client/detect',
  'src/server/rules',
  'src/server/auth',
  'src/server/abuse',
  'src/server/update',
]

/** Tests that run within one process. The others start programs, read the source, or take long and reach little. */
export const isUnitTest = (path: string): boolean =>
  path.endsWith('.test.ts') &&
  !/^test\/(e2e|system|browser|packages|long|architecture|bench|mutate|simulation|platform|config|net|cli)\//.test(
    path,
  ) &&
  !/server\/api\/(fuzz|properties|security|concurrency)/.test(path)
