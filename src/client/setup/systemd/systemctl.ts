import { execFile } from 'node:child_process'

interface ProgramResult {
  /** 127 for a program that could not be started, as in the shell. */
  readonly code: number
  /** Standard output and standard error. */
  readonly output: string
}

/** Runs a program to its end. */
export async function execute(program: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((done) => {
    execFile(program, args, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127
      const failure = error?.code === 'ENOENT' ? `this host has no ${program}` : (error?.message ?? '')
      done({ code, output: `${stdout}${stderr}`.trim() || failure })
    })
  })
}

/** Properties of a unit: systemctl(1), show. */
interface UnitState {
  /** "loaded", "not-found", "masked" ... */
  readonly load: string
  /** The file that the unit comes from. */
  readonly path: string
  readonly active: string
  /** "enabled", "disabled", "static" ... */
  readonly file: string
  readonly result: string
}

const PROPERTIES = {
  load: 'LoadState',
  path: 'FragmentPath',
  active: 'ActiveState',
  file: 'UnitFileState',
  result: 'Result',
} as const satisfies Record<keyof UnitState, string>

/** The state of a unit; the error text where systemd does not answer. */
export async function showUnit(manager: readonly string[], unit: string): Promise<UnitState | string> {
  const properties = `--property=${Object.values(PROPERTIES).join(',')}`
  const { code, output } = await execute('systemctl', [...manager, 'show', properties, unit])
  if (code !== 0) return output
  const valueOf = (property: string): string => new RegExp(`^${property}=(.*)$`, 'm').exec(output)?.[1] ?? ''
  return {
    load: valueOf(PROPERTIES.load),
    path: valueOf(PROPERTIES.path),
    active: valueOf(PROPERTIES.active),
    file: valueOf(PROPERTIES.file),
    result: valueOf(PROPERTIES.result),
  }
}
