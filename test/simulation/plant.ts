import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLANTED, type PlantedFault } from './planted.ts'

const ROOT = new URL('../..', import.meta.url).pathname
/** Worlds that are tried at most for one fault. */
const WORLDS = 40

export interface Seen {
  readonly fault: PlantedFault
  /** The rules that the first world with an alarm breaks; empty where none has one. */
  readonly rules: string
}

/** Runs worlds on a copy of the program with this mistake, until one has an alarm. */
export function plant(fault: PlantedFault): Seen {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-planted-'))
  try {
    for (const part of ['src', 'test/simulation', 'test/fakes', 'package.json'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const path = join(folder, 'src', fault.file)
    const text = readFileSync(path, 'utf8')
    if (text.split(fault.from).length !== 2) throw new Error(`not once in ${fault.file}: ${fault.from}`)
    writeFileSync(
      path,
      text.replace(fault.from, () => fault.to),
    )
    const flags = ['--count', String(WORLDS), '--first', ...(fault.flags?.split(' ') ?? [])]
    const { stdout, stderr } = spawnSync(process.execPath, ['test/simulation/run.ts', ...flags], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (stderr !== '') throw new Error(stderr)
    const [, rules = ''] = /^seed \d+ (\S+) [0-9a-f]+$/m.exec(stdout) ?? []
    return { fault, rules }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const only = process.argv[2] ?? ''
  let missed = 0
  for (const fault of PLANTED.filter(({ what }) => what.includes(only))) {
    const began = process.hrtime.bigint()
    const { rules } = plant(fault)
    const isSeen = rules.split(',').includes(fault.rule)
    if (!isSeen) missed++
    const took = Number(process.hrtime.bigint() - began) / 1e9
    console.log(`${isSeen ? 'seen' : 'MISSED'} ${fault.rule} (${rules}) ${took.toFixed(1)} s  ${fault.what}`)
  }
  console.log(`${PLANTED.length - missed} of ${PLANTED.length} planted faults seen`)
  process.exitCode = missed === 0 ? 0 : 1
}
