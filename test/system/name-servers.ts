import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The checks of zone files by name servers of other projects. */

const folder = mkdtempSync(join(tmpdir(), 'holdfast-zone-'))
export const removeZoneFiles = (): void => rmSync(folder, { recursive: true, force: true })

const written = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const PATH = `${process.env['PATH']}:/usr/sbin`
const isInstalled = (program: string): boolean =>
  spawnSync('/bin/sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0

/** Whether all of these programs are missing; says so, because the tests are skipped then. */
export function lacks(...programs: readonly string[]): boolean {
  const isMissing = !programs.some(isInstalled)
  if (isMissing)
    console.error(`\n!!! ${programs.join(' or ')} is not installed: these system tests are SKIPPED\n`)
  return isMissing
}

export interface Checked {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, ...args: readonly string[]): Checked {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH },
  })
  return { status, stdout, stderr }
}

/** BIND prints the zone; it checks the addresses of names outside the zone unless told "local". */
export const checkByBind = (text: string, origin: string): Checked =>
  run('named-checkzone', '-i', 'local', '-D', origin, written('bind.zone', text))

/** As the server loads it: kzonecheck also refuses a zone for what is only a warning to the server. */
export function checkByKnot(text: string, origin: string): Checked {
  const file = written('knot.zone', text)
  const zone = `zone:\n  - domain: ${origin}\n    file: ${file}\n    semantic-checks: on\n`
  return run('knotc', '-c', written('knot.conf', zone), 'zone-check', origin)
}
