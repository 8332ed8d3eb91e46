import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'

const AGENT = { 'user-agent': 'Test test/1-1 you@example.test' }

/** What one hostname was set to, and what of that was acknowledged. */
interface Entry {
  readonly sent: string[]
  acknowledged: number
}

export interface Ledger {
  /** Acknowledged changes. */
  count(): number
  /** Changes that were answered with 911, or not at all. */
  refused(): number
  stop(): Promise<void>
  /** Those whose stored address is neither the last acknowledged one, nor one that was sent after it. */
  lost(stored: ReadonlyMap<string, string>): readonly string[]
}

interface LedgerOptions {
  /** Callers ask them in turn. */
  readonly urls: readonly string[]
  readonly hostnames: readonly string[]
  readonly credentials: string
  /** Of the addresses: no two ledgers send the same ones. */
  readonly block: number
}

/** Callers that change their hostname again and again, each after the answer, until they are stopped. */
export function startLedger({ urls, hostnames, credentials, block }: LedgerOptions): Ledger {
  const entries = new Map<string, Entry>(hostnames.map((name) => [name, { sent: [], acknowledged: -1 }]))
  const wrong: string[] = []
  const over = new AbortController()
  let [count, refused] = [0, 0]
  const caller = async (hostname: string, entry: Entry, at: number): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n++) {
      const myip = `${11 + (block % 100)}.${at + 100 * Math.floor(block / 100)}.${Math.floor(n / 250) % 250}.${n % 250}`
      entry.sent.push(myip)
      const url = `${urls[(n + at) % urls.length]}/nic/update?hostname=${hostname}&myip=${myip}`
      const reply = await fetch(url, {
        headers: { ...AGENT, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      })
        // A balancer whose node has died.
        .then(async (response) => ([502, 503, 504].includes(response.status) ? '911\n' : response.text()))
        .catch(() => '911\n')
      if (reply === `good ${myip}\n` || reply === `nochg ${myip}\n`) {
        entry.acknowledged = n
        count++
      } else if (reply === '911\n') {
        refused++
        await sleep(20)
      } else wrong.push(`${hostname}: ${reply}`)
    }
  }
  const callers = [...entries].map(async ([hostname, entry], at) => caller(hostname, entry, at))
  return {
    count: () => count,
    refused: () => refused,
    async stop() {
      over.abort()
      await Promise.all(callers)
      expect(wrong).toEqual([])
    },
    lost: (stored) =>
      [...entries].flatMap(([hostname, { sent, acknowledged }]) => {
        const address = stored.get(hostname)
        const isKept = address !== undefined && sent.slice(acknowledged).includes(address)
        return acknowledged < 0 || isKept
          ? []
          : [`${hostname}: ${address}, and ${sent[acknowledged]} was acknowledged`]
      }),
  }
}
