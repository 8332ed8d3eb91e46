import { bug, main } from './main.ts'

/** Called by the launcher. The exit code is set, not forced: what was written gets out. */
export function start(argv: readonly string[]): void {
  process.on('uncaughtException', (error) => {
    process.exitCode = bug(error)
    process.exit()
  })
  main(argv).then(
    (code) => {
      process.exitCode = code
    },
    (error: unknown) => {
      process.exitCode = bug(error)
    },
  )
}
