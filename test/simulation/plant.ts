import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MENDED, type MendedWorld } from './mended.ts'
import { PLANTED, type PlantedFault } from './planted.ts'
import { PLANTED_IN_SERVICE, type PlantedServiceFault } from './service/planted.ts'

const ROOT = new URL('../..', import.meta.url).pathname
/** Worlds that are tried at most for one fault. */
const WORLDS = 40
const PARTS = [
  'src',
  'test/simulation',
  'test/fakes',
  'test/lab',
  'test/service/api/at-once.ts',
  'package.json',
]

const HOMES = 'test/simulation/run.ts'
const SERVICES = 'test/simulation/service/run.ts'

/** What the simulation prints with these flags on a copy of the program with this mistake. */
function mistaken(
  { file, from, to }: Pick<PlantedFault, 'file' | 'from' | 'to'>,
  flags: readonly string[],
  script = HOMES,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-planted-'))
  try {
    for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const path = join(folder, 'src', file)
    const text = readFileSync(path, 'utf8')
    if (text.split(from).length !== 2) throw new Error(`not once in ${file}: ${from}`)
    writeFileSync(
      path,
      text.replace(from, () => to),
    )
    const { stdout, stderr } = spawnSync(process.execPath, [script, ...flags], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (stderr !== '') throw new Error(stderr)
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The rules that the first world with an alarm breaks, for a mistake that is looked for from nothing. */
export const foundFor = (fault: PlantedFault): readonly string[] =>
  rulesIn(mistaken(fault, ['--first', '--count', String(WORLDS), ...(fault.flags?.split(' ') ?? [])]))

/** The same for a mistake of the service. */
export const foundInService = (fault: PlantedServiceFault): readonly string[] =>
  rulesIn(mistaken(fault, ['--first', '--count', String(WORLDS)], SERVICES))

/** The rules that the world of a mended fault breaks without its mend. */
export function foundWithout({ mistake, world }: MendedWorld): readonly string[] {
  const fault = PLANTED.find(({ what }) => what === mistake)
  if (fault === undefined) throw new Error(`there is no planted fault: ${mistake}`)
  return rulesIn(mistaken(fault, ['--first', '--world', JSON.stringify(world)]))
}

const rulesIn = (stdout: string): readonly string[] =>
  (/^seed \d+ (\S+) [0-9a-f]+$/m.exec(stdout)?.[1] ?? '').split(',')

function timed(what: string, rule: string, look: () => readonly string[]): boolean {
  const began = process.hrtime.bigint()
  const rules = look()
  const isSeen = rules.includes(rule)
  const took = Number(process.hrtime.bigint() - began) / 1e9
  console.log(`${isSeen ? 'seen' : 'MISSED'} ${rule} (${rules.join()}) ${took.toFixed(1)} s  ${what}`)
  return isSeen
}

if (import.meta.main) {
  const only = process.argv[2] ?? ''
  const seen = [
    ...PLANTED.filter(({ what, isRare }) => !isRare && what.includes(only)).map((fault) =>
      timed(fault.what, fault.rule, () => foundFor(fault)),
    ),
    ...PLANTED_IN_SERVICE.filter(({ what }) => what.includes(only)).map((fault) =>
      timed(fault.what, fault.rule, () => foundInService(fault)),
    ),
    ...MENDED.filter(({ mistake }) => mistake.includes(only)).map((mended) =>
      timed(`without the mend: ${mended.what}`, mended.rule, () => foundWithout(mended)),
    ),
  ]
  const missed = seen.filter((isSeen) => !isSeen).length
  console.log(`${seen.length - missed} of ${seen.length} planted faults seen`)
  process.exitCode = missed === 0 ? 0 : 1
}
