import { execFile } from 'node:child_process'

export interface ProgramResult {
  /** Of a program that could not be started, 127, as the shell says. */
  readonly code: number
  readonly says: string
}

export async function ran(program: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((done) => {
    execFile(program, args, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127
      const failure = error?.code === 'ENOENT' ? `this host has no ${program}` : (error?.message ?? '')
      done({ code, says: `${stdout}${stderr}`.trim() || failure })
    })
  })
}

/** systemctl(1) show: what systemd knows of a unit. */
export interface UnitState {
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

/** Words instead, where no systemd answers. */
export async function show(manager: readonly string[], unit: string): Promise<UnitState | string> {
  const wanted = `--property=${Object.values(PROPERTIES).join(',')}`
  const { code, says } = await ran('systemctl', [...manager, 'show', wanted, unit])
  if (code !== 0) return says
  const valueOf = (property: string): string => new RegExp(`^${property}=(.*)$`, 'm').exec(says)?.[1] ?? ''
  return {
    load: valueOf(PROPERTIES.load),
    path: valueOf(PROPERTIES.path),
    active: valueOf(PROPERTIES.active),
    file: valueOf(PROPERTIES.file),
    result: valueOf(PROPERTIES.result),
  }
}
