import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { found, PLAIN_ENV, running } from './commands.ts'
import { freePort } from '../free-port.ts'
import { type NamePeer, zoneText } from './powerdns.ts'
import { CONNECTIONS, onCore, type Throughput } from './wrk.ts'

const settingsOf = (folder: string, port: number): string => `
options {
  directory "${folder}"; pid-file "${folder}/pid"; session-keyfile "${folder}/session"; managed-keys-directory "${folder}";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no;
};
controls { };
zone "bench.test" { type primary; file "${folder}/zone"; allow-update { 127.0.0.1; }; };
`

/** BIND's dynamic updates (RFC 2136), from as many nsupdate at a time as wrk has connections. */
export async function startBind(folder: string, names: number): Promise<NamePeer | string> {
  if (found('named') === undefined || found('nsupdate') === undefined)
    return 'BIND (bind9, bind9-dnsutils) is not installed: skipped'
  const own = join(folder, 'bind')
  mkdirSync(own)
  const port = await freePort()
  writeFileSync(join(own, 'zone'), zoneText(names))
  writeFileSync(join(own, 'named.conf'), settingsOf(own, port))
  const server = running(onCore(0, ['named', '-g', '-n', '1', '-c', join(own, 'named.conf')]))
  server.child.stdout?.resume()
  server.child.stderr?.resume()
  let number = 0
  const update = (): string => {
    number++
    const name = `h${String(1 + ((number * 7919) % names)).padStart(7, '0')}.bench.test.`
    return `update delete ${name} A\nupdate add ${name} 60 A 2.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}\nsend\n`
  }
  /** All of them done, or an error. */
  const send = async (count: number): Promise<number> => {
    const script = `server 127.0.0.1 ${port}\nzone bench.test\n${Array.from({ length: count }, update).join('')}`
    const [program = '', ...args] = onCore(1, ['nsupdate', '-v'])
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], env: PLAIN_ENV })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stdin.end(script)
    const code = await new Promise<number | null>((done) => child.once('close', done))
    if (code !== 0) throw new Error(`nsupdate ended with ${code}: ${said}`)
    return count
  }
  for (let tries = 0; tries < 100; tries++) {
    await sleep(200)
    if (
      await send(1).then(
        () => true,
        () => false,
      )
    )
      return { ...server, name: 'BIND', load: async (seconds) => loaded(send, seconds) }
  }
  await server.stop()
  return 'BIND did not start: skipped'
}

/** As many as fit into the time, in bundles, so that the start of a process is a small part of it. */
async function loaded(send: (count: number) => Promise<number>, seconds: number): Promise<Throughput> {
  const start = performance.now()
  const end = start + seconds * 1000
  const lane = async (): Promise<number> => {
    let sum = 0
    while (performance.now() < end) sum += await send(BUNDLE)
    return sum
  }
  const done = await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  const requests = done.reduce((sum, one) => sum + one, 0)
  return { requests, perSecond: (requests / (performance.now() - start)) * 1000, p99: Number.NaN }
}

const BUNDLE = 50
