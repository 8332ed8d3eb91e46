import { bug, main } from './main.ts'

/** Called by the launcher. The exit code is set, not forced: what was written gets out. */
export function start(argv: readonly string[]): void {
  process.on('uncaughtException', (error) => {
    process.exitCode = bug(error)
    process.exit()
  })
  void run(argv)
}

async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await main(argv).catch(bug)
}
