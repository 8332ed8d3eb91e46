import { beforeEach, describe, expect, it } from 'vitest'
import { askBeyond, type AskingPorts, doesAnswer } from '../../../../src/client/detect/line/ask-line.ts'
import { milliseconds } from '../../../../src/shared/base/time.ts'
import type { DatagramOutcome } from '../../../../src/shared/ports/datagram.ts'
import { address } from '../../../fakes/address.ts'
import { never } from '../../../fakes/request.ts'

const ROUTER = { interface: 'eth0', gateway: address('192.168.1.1') }
const LINK_LOCAL = { interface: 'eth0', gateway: address('fe80::1') }
const REFUSED = { kind: 'refused', took: milliseconds(1) } as const
const SILENT = { kind: 'silent' } as const
const failed = (because: string): DatagramOutcome => ({ kind: 'failed', because })
let asked: string[]

beforeEach(() => {
  asked = []
})

const ports = (datagram: DatagramOutcome, replying: readonly string[] = []): AskingPorts => ({
  datagram: async ({ to, hops }) => {
    asked.push(`${to} ${hops ?? ''}`.trim())
    return Promise.resolve(datagram)
  },
  program: async (argv) => {
    const to = argv.at(-1) ?? ''
    asked.push(`ping ${to}`)
    return Promise.resolve({ kind: 'ended', code: replying.includes(to) ? 0 : 1, stdout: '' } as const)
  },
  mayPing: () => true,
})

describe('a gateway', () => {
  it.each([
    ['answers by a refusal, and no ping is sent', REFUSED, [], true, 1],
    ['answers by a ping', SILENT, ['192.168.1.1'], true, 2],
    ['is silent', SILENT, [], false, 2],
    ['is silent where the kernel finds no neighbour', failed('EHOSTUNREACH'), [], false, 2],
    ['is not asked through a firewall of this host', failed('EPERM'), [], undefined, 1],
  ] as const)('%s', async (_, datagram, replying, answers, count) => {
    expect(await doesAnswer(ports(datagram, replying), ROUTER, never)).toBe(answers)
    expect(asked).toHaveLength(count)
  })

  it('is asked on its link alone', async () => {
    await doesAnswer(ports(REFUSED), ROUTER, never)
    await doesAnswer(ports(REFUSED), LINK_LOCAL, never)
    expect(asked).toEqual(['192.168.1.1 1', 'fe80::1%eth0'])
  })
})

describe('hosts beyond it', () => {
  const hosts = ['9.9.9.9', '1.1.1.1'].map(address)
  it.each([
    ['the first one', ['9.9.9.9'], 'answers', 1],
    ['another one', ['1.1.1.1'], 'answers', 2],
    ['none', [], 'silent', 2],
  ] as const)('%s answers', async (_, replying, outcome, count) => {
    expect(await askBeyond(ports(SILENT, replying), ROUTER, { hosts, signal: never })).toBe(outcome)
    expect(asked).toHaveLength(count)
  })
})
