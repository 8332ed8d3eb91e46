import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

/** Pebble: the ACME server with which Let's Encrypt tests clients. */
export interface AcmeAuthority {
  /** The address of its directory. */
  readonly directory: string
  /** The file of the authority of its own listener. */
  readonly ca: string
  readonly log: () => string
  readonly stop: () => Promise<void>
}

/** A key and a certificate for localhost, by an authority of the test. */
function makeCertificates(folder: string): {
  readonly ca: string
  readonly cert: string
  readonly key: string
} {
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: readonly string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const [ca, caKey, cert, key] = ['ca.pem', 'ca.key', 'cert.pem', 'key.pem'].map(at) as [
    string,
    string,
    string,
    string,
  ]
  openssl('req', '-x509', ...newKey, '-keyout', caKey, '-out', ca, '-subj', '/CN=test', '-days', '2')
  openssl('req', ...newKey, '-keyout', key, '-out', at('request.pem'), '-subj', '/CN=localhost')
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', at('names')]
  openssl('x509', '-req', '-in', at('request.pem'), '-out', cert, ...signing)
  return { ca, cert, key }
}

/** It refuses no good nonce, and asks for each challenge again: by default it does neither, at random. */
const STEADY = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' }

/** Starts it; it asks the name server at this port of loopback. */
export async function acmeAuthority(parent: string, dns: number): Promise<AcmeAuthority> {
  const folder = join(parent, 'pebble')
  mkdirSync(folder)
  const { ca, cert, key } = makeCertificates(folder)
  const [port, management] = [await freePort(), await freePort()]
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: cert,
    privateKey: key,
    httpPort: 5002,
    tlsPort: 5001,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ pebble }))
  const args = ['-config', config, '-dnsserver', `127.0.0.1:${dns}`, '-strict=false']
  const child = spawn('pebble', args, {
    env: { PATH: process.env['PATH'], ...STEADY },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise((done) => child.once('close', done))
  while (!log.includes('ACME directory available')) {
    if (child.exitCode !== null) throw new Error(`pebble did not start: ${log}`)
    await sleep(50)
  }
  return {
    directory: `https://localhost:${port}/dir`,
    ca,
    log: () => log,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}
