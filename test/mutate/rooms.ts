/** The rooms whose every operator, condition and constant must be held by a test. */
export const ROOMS: readonly string[] = [
  'src/protocol',
  'src/client/decide',
  'src/client/detect',
  'src/server/rules',
  'src/server/auth',
  'src/server/abuse',
  'src/server/update',
]

/** Tests that run in this process alone: the others start programs, read the source, or take long and reach little. */
export const isUnitTest = (path: string): boolean =>
  path.endsWith('.test.ts') &&
  !/^test\/(e2e|system|architecture|bench|mutate|platform|config|net|cli)\//.test(path) &&
  !/server\/api\/(fuzz|properties|security|concurrency)/.test(path)
