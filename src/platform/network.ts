import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Address, parseAddress, parsePeer } from '../net/address.ts'
import type { FindGateway, ListenForEvents, RunOutcome, RunProgram, WatchKernel } from '../ports/network.ts'

/** /proc/net/route (proc(5)): hexadecimal in the byte order of the machine; the least metric wins. */
export const systemGateway: FindGateway = async (only) => {
  const table = await readFile('/proc/net/route', 'utf8').catch(() => '')
  const routes = parseRoutes(table).filter(
    ({ name, length, gateway }) =>
      length === 0 && gateway !== undefined && (only === undefined || name === only),
  )
  const [best] = routes.toSorted((a, b) => a.metric - b.metric)
  const local = best === undefined ? undefined : localOn(best.name)
  return best?.gateway === undefined || local === undefined
    ? undefined
    : { address: best.gateway, interface: best.name, local }
}

export interface KernelRoute {
  readonly name: string
  readonly destination: Address
  /** Of the destination's prefix: 0 for a default route. */
  readonly length: number
  /** Missing where the destination is on the link. */
  readonly gateway?: Address
  readonly metric: number
}

const [UP, VIA_GATEWAY] = [0x1, 0x2]

/** The routes that are up, in the order of the table. */
export function parseRoutes(table: string): readonly KernelRoute[] {
  return table.split('\n').flatMap((line) => {
    const [name = '', to = '', over = '', flags = '', , , metric = '', mask = ''] = line.split('\t')
    const [destination, gateway] = [fromHex(to), fromHex(over)]
    if (destination === undefined || (parseInt(flags, 16) & UP) === 0) return []
    const length = Number.parseInt(mask, 16).toString(2).replaceAll('0', '').length
    const isOver = (parseInt(flags, 16) & VIA_GATEWAY) !== 0 && gateway !== undefined
    return [{ name, destination, length, metric: Number(metric), ...(isOver && { gateway }) }]
  })
}

const fromHex = (word: string): Address | undefined =>
  word.length === 8 ? parseAddress([...Buffer.from(word, 'hex')].toReversed().join('.')) : undefined

export const localOn = (name: string): Address | undefined =>
  (networkInterfaces()[name] ?? []).flatMap(({ address, family }) =>
    family === 'IPv4' ? (parseAddress(address) ?? []) : [],
  )[0]

const MOST_OUTPUT = 64 * 1024

/** In a process group of its own, so that what it started ends with it: a limit that waits for grandchildren is none. */
export const runProgram: RunProgram = async ([program, ...args], within, signal) => {
  if (program === undefined) return { kind: 'failed', because: 'there is no program to run' }
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    let stdout = ''
    const finish = (outcome: RunOutcome): void => {
      clearTimeout(patience)
      signal.removeEventListener('abort', giveUp)
      done(outcome)
    }
    const giveUp = (): void => {
      if (child.pid !== undefined) killGroup(child.pid)
      finish({ kind: 'failed', because: `${program} took too long, or said too much` })
    }
    const patience = setTimeout(giveUp, within)
    signal.addEventListener('abort', giveUp)
    child.on('error', (error: NodeJS.ErrnoException) =>
      finish({ kind: 'failed', because: `${program} cannot be run (${error.code ?? error.message})` }),
    )
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      stdout += chunk
      if (stdout.length > MOST_OUTPUT) giveUp()
    })
    child.on('close', (code, killer) =>
      finish(
        code === null
          ? { kind: 'failed', because: `${program} was ended by ${killer}` }
          : { kind: 'ended', code, stdout },
      ),
    )
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

/** NOTIFY has no body that matters: an event is a reason to look, never a value. */
export const listenForEvents: ListenForEvents = async (local, heard) =>
  new Promise((done) => {
    const server = createServer({ maxHeaderSize: 8192, requestTimeout: 5000 }, (request, response) => {
      request.resume()
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const peer = parsePeer(request.socket.remoteAddress ?? '') ?? ''
      heard({ peer, method: request.method ?? '', path: request.url ?? '', headers })
      response.writeHead(200, { connection: 'close', 'content-length': 0 }).end()
    })
    server.on('error', () => done(undefined))
    server.maxConnections = 16
    server.listen(0, local, () => {
      server.unref()
      const close = (): void => {
        server.close()
        server.closeAllConnections()
      }
      done({ port: (server.address() as AddressInfo).port, close })
    })
  })

const RESTART_AFTER = 5000

const MONITOR = ['ip', '-o', 'monitor', 'address', 'route', 'prefix', 'link']
/** With it, the kernel ends the child when we are killed (prctl(2), PR_SET_PDEATHSIG); util-linux has it, BusyBox not. */
const TIED_MONITOR = ['setpriv', '--pdeathsig', 'TERM', ...MONITOR]

/** rtnetlink by way of ip-monitor(8), started again when it ends. */
export const watchKernel: WatchKernel = (changed, missing) => {
  let isClosed = false
  let child: ReturnType<typeof spawn> | undefined
  const begin = (line: readonly string[]): void => {
    if (isClosed) return
    const [program = '', ...args] = line
    const watching = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    child = watching
    const born = performance.now()
    let because = 'ip monitor ends at once'
    watching.on(
      'error',
      (error: NodeJS.ErrnoException) => (because = `${program}: ${error.code ?? error.message}`),
    )
    watching.stdout.on('data', changed)
    watching.on('close', () => {
      // One that ends at once does not know these words (BusyBox).
      const isRefused = !isClosed && performance.now() - born < 1000
      if (isRefused && line === TIED_MONITOR) begin(MONITOR)
      else if (isRefused) missing(because)
      else setTimeout(() => begin(line), RESTART_AFTER).unref()
    })
    watching.unref()
    ;(watching.stdout as { unref?: () => void }).unref?.()
  }
  begin(TIED_MONITOR)
  return {
    close: () => {
      isClosed = true
      child?.kill('SIGTERM')
    },
  }
}
