import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, type Service, scratch, service } from '../e2e/processes.ts'
import { certificate } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { lacks } from '../lacks.ts'

/** The configurations are those of the document. */
const PAGE = readFileSync(join(ROOT, 'docs/service.md'), 'utf8')
const blockAfter = (words: string): string => /```\n([^]*?)```/.exec(PAGE.split(words)[1] ?? '')?.[1] ?? ''

let folder: string
let at: Service
let ports: { readonly http: number; readonly https: number }
beforeEach(async () => {
  folder = scratch()
  at = await service('--trusted-proxies', '127.0.0.1,::1')
  ports = { http: await freePort(), https: await freePort() }
})

function run(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, {
    env: { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', () => undefined)
  const ended = new Promise((done) => child.on('close', done))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return child
}

/** An update without myip through the proxy, from this address. */
async function updateFrom(localAddress: string, scheme: 'http' | 'https'): Promise<string> {
  return new Promise((resolve, reject) => {
    const ask = scheme === 'https' ? requestTls : request
    const asked = ask(
      {
        host: '127.0.0.1',
        port: ports[scheme],
        path: `/nic/update?hostname=${at.hostnames[0] ?? ''}`,
        auth: `${at.username}:${at.password}`,
        headers: { host: 'localhost', 'user-agent': 'Acme t/1-1 me@example.test' },
        localAddress,
        ...(scheme === 'https' && { rejectUnauthorized: false, servername: 'localhost' }),
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve(text.trim()))
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

async function publishesClients(): Promise<void> {
  await eventually(async () => updateFrom('127.0.0.5', 'http').catch((error: Error) => error.message)).toBe(
    'good 127.0.0.5',
  )
  expect(await updateFrom('127.0.0.5', 'http')).toBe('nochg 127.0.0.5')
  expect(await updateFrom('127.0.0.6', 'https')).toBe('good 127.0.0.6')
}

describe.skipIf(lacks('nginx') || lacks('openssl'))('nginx, configured as the document says', () => {
  it('passes the address of the client, over http and https', async () => {
    const { cert, key } = certificate('DNS:localhost')
    const server = blockAfter('With nginx:')
      .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`)
      .replace('dyn.example.net', 'localhost')
      .replace('/etc/holdfast/tls/fullchain.pem', cert)
      .replace('/etc/holdfast/tls/privkey.pem', key)
      .replace('http://127.0.0.1:8245', at.url)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (one) => `${one}_temp_path ${folder}/${one};`,
    )
    const path = join(folder, 'nginx.conf')
    writeFileSync(
      path,
      `daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')}\n${server}\n}`,
    )
    run('nginx', ['-c', path, '-e', 'stderr'])

    await publishesClients()
  })
})

describe.skipIf(lacks('caddy'))('Caddy, configured as the document says', () => {
  it('passes the address of the client, over http and https', async () => {
    const sites = blockAfter('With Caddy, which gets the certificate itself:')
      .replaceAll('dyn.example.net', 'localhost')
      .replaceAll('127.0.0.1:8245', new URL(at.url).host)
    const options = `{\n admin off\n http_port ${ports.http}\n https_port ${ports.https}\n local_certs\n skip_install_trust\n auto_https disable_redirects\n}\n`
    writeFileSync(join(folder, 'Caddyfile'), options + sites)
    run('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'])

    await publishesClients()
  })
})
