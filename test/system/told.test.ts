import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startDaemon, startService } from '../bench/detect-parties.ts'
import { PATIENCE } from '../eventually.ts'
import { interceptWeb, reportByPmp } from '../lab/home-networks.ts'
import { canLab, type Lab, lab } from '../lab/lab.ts'
import { judgesPace } from '../lab/pace.ts'
import { MODEM_ROUTER } from '../lab/plan.ts'
import { now } from '../lab/run.ts'
import { isLarge } from '../large.ts'
import { DS_LITE, dsLiteRouter, translatedHost, XLAT } from '../lab/shared-addresses.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(`\n!!! no network lab here (${reason}): the tests of shared addresses are SKIPPED\n`)

/** After the start. On a busy machine the first look takes longer. */
const LIMIT = judgesPace ? 5000 : PATIENCE
const INTERVAL = 1000

const CGNAT = /CGNAT|carrier-grade NAT/
/** A router that reports no address does not tell which of the two it is. */
const EITHER = /CGNAT|carrier-grade NAT|double NAT/
const DOUBLE = /double NAT/

// biome-ignore format: a table
const HOMES: readonly (readonly [name: string, word: RegExp, build: (lab: Lab) => Promise<unknown>])[] = [
  ['behind CGNAT, the router has 100.64.9.9',       CGNAT,     async (lab) => { await lab.cgnat(true); await reportByPmp(lab, lab.wan) }],
  ['behind CGNAT, the router reports no address',   EITHER,    async (lab) => { await lab.cgnat(true); await lab.igd('all') }],
  ['behind a modem, the router has 10.20.30.9',     DOUBLE,    async (lab) => { await lab.addModem(); await reportByPmp(lab, MODEM_ROUTER) }],
  ['behind a modem, the router reports no address', EITHER,    async (lab) => { await lab.addModem(); await lab.igd('all') }],
  ['behind a router with DS-Lite',                  /DS-Lite/, async (lab) => { await dsLiteRouter(lab); await reportByPmp(lab, DS_LITE) }],
  ['on a host with DS-Lite',                        /DS-Lite/, async (lab) => translatedHost(lab, 'dslite', DS_LITE)],
  ['on a host with 464XLAT',                        /464XLAT/, async (lab) => translatedHost(lab, 'clat', XLAT)],
]

/** The others are for the long run: the simulation has them too. */
const QUICK = ['behind CGNAT, the router reports no address', 'on a host with 464XLAT']
const chosen = HOMES.filter(([name]) => isLarge || QUICK.includes(name))

const PLACES = ['log', 'status', 'doctor'] as const
type Told = Readonly<Record<(typeof PLACES)[number], string>>

/** What a daemon that has just been started says, and what the commands say then; until the word is everywhere. */
async function told(home: Lab, word: RegExp): Promise<Told> {
  const service = await startService(home)
  const daemon = startDaemon(home, { where: 'host', sources: undefined, service, environment: {} })
  const deadline = now() + LIMIT
  try {
    for (;;) {
      await sleep(Math.min(INTERVAL, Math.max(0, deadline - now())))
      const isLast = now() >= deadline
      const log = daemon.lines
        .filter((line) => (JSON.parse(line) as { level: number }).level >= 30)
        .join('\n')
      const [status, doctor] = [await daemon.ask('status'), await daemon.ask('doctor')]
      const all = { log, status, doctor }
      if (isLast || Object.values(all).every((text) => word.test(text))) return all
    }
  } finally {
    await daemon.stop()
  }
}

describe.skipIf(reason !== undefined)('a shared address is called by its name', () => {
  it.each(chosen)('%s', async (_, word, build) => {
    const home = await lab({ delay: 50 })
    try {
      await home.igd('none')
      await interceptWeb(home)
      await build(home)
      const all = await told(home, word)

      for (const place of PLACES) expect.soft(all[place], place).toMatch(word)
      expect.soft(all.log).not.toContain('the router reports its public address')
    } finally {
      await home.down()
    }
  })
})
