import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Service, service } from '../e2e/processes.ts'

/** Logins of the flood that are refused while one of an account waits: two seconds of one core are enough for so many. */
const MAX_AHEAD = 30

interface Login {
  readonly localAddress: string
  readonly username: string
  readonly password: string
}

/** The status of a request to /v1 with a password; 0 without an answer. */
async function login(at: Service, { localAddress, username, password }: Login): Promise<number> {
  return new Promise((done) => {
    const asked = request(
      `${at.url}/v1/dns/zones`,
      { localAddress, auth: `${username}:${password}`, agent: false },
      (response) => {
        response.resume().on('end', () => done(response.statusCode ?? 0))
      },
    )
    asked.on('error', () => done(0))
    asked.end()
  })
}

describe('a flood', () => {
  it('of 1,200 silent connections of one address, opened again when they are closed, refuses no other user', async () => {
    const at = await service()
    const { port } = new URL(at.url)
    let isOver = false
    const sockets = new Set<Socket>()
    const open = (): void => {
      if (isOver) return
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.9.0.1' })
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        setTimeout(open, 200)
      })
    }
    for (let n = 0; n < 1200; n++) open()
    onTestFinished(() => {
      isOver = true
      for (const socket of sockets) socket.destroy()
    })
    await sleep(500)
    const answers: number[] = []
    for (let n = 0; n < 30; n++) {
      answers.push((await fetch(`${at.url}/v1/dns/about`)).status)
      await sleep(100)
    }

    expect(answers).toEqual(answers.map(() => 200))
  }, 120_000)

  it('of 120 logins with invented names from many networks leaves accounts served before most of them', async () => {
    const at = await service()
    const account = { localAddress: '127.0.0.1', username: at.account, password: at.accountPassword }
    const over = new AbortController()
    onTestFinished(() => over.abort())
    let refused = 0
    const attackers = Array.from({ length: 120 }, async (_, n) => {
      for (let round = 0; !over.signal.aborted; round++)
        if (
          (await login(at, {
            localAddress: `127.${1 + (n % 200)}.${1 + (round % 200)}.1`,
            username: `nobody-${n}-${round}`,
            password: 'x',
          })) === 401
        )
          refused++
    })
    await sleep(500)
    const served: (readonly [status: number, ahead: number])[] = []
    for (let n = 0; n < 20; n++) {
      const before = refused
      const status = await login(at, account)
      served.push([status, refused - before])
    }
    over.abort()
    await Promise.all(attackers)

    const inTime = served.filter(([status, ahead]) => status === 200 && ahead < MAX_AHEAD)
    expect(inTime.length).toBeGreaterThanOrEqual(19)
  }, 120_000)
})
