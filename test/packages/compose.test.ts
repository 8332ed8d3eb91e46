import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { holdfast, ROOT, scratch, serveStore } from '../e2e/processes.ts'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'

const [DNS, KNOT] = [15_300, 15_353]
const SECRET = Buffer.alloc(32, 9).toString('base64')

/** A file of config/compose, with the addresses and ports of this host and the folder of the test. */
function placed(name: string, folder: string): string {
  const text = readFileSync(join(ROOT, 'config/compose', name), 'utf8')
    .replaceAll('172.30.53.2@5300', `127.0.0.1@${DNS}`)
    .replaceAll('172.30.53.2:5300', `127.0.0.1:${DNS}`)
    .replaceAll('172.30.53.3:53', `127.0.0.1:${KNOT}`)
    .replaceAll('172.30.53.2', '127.0.0.1')
    .replaceAll('0.0.0.0@53', `127.0.0.1@${KNOT}`)
    .replaceAll('/storage', join(folder, 'storage'))
    .replaceAll('/etc/holdfast/tsig.keys', join(folder, 'tsig.keys'))
    .replaceAll('/var/lib/holdfast/service', join(folder, 'store'))
    .replace('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', SECRET)
    // The usual folder of its process id belongs to Debian's own.
    .replace('server:', `server:\n    rundir: ${folder}`)
  expect(text).not.toContain('172.30.')
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function nameServersAt(port: number): string {
  const question = ['@127.0.0.1', '-p', String(port), '+short', '+timeout=1', '+retry=0', 'acme.test', 'NS']
  try {
    return execFileSync('kdig', question, { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}

it.skipIf(lacks('knotd') || lacks('kdig'))(
  'with the settings of compose.yaml, the secondary has the zones of the service',
  async () => {
    const folder = scratch()
    const config = placed('service.toml', folder)
    writeFileSync(join(folder, 'tsig.keys'), `ns1-key hmac-sha256 ${SECRET}\n`, { mode: 0o600 })
    mkdirSync(join(folder, 'storage'))
    for (const words of ['init', 'plan add basic', 'account add acme basic', 'zone add acme.test acme'])
      expect(
        await holdfast(['admin', ...words.split(' '), '--config', config], { node: process.execPath }),
      ).toMatchObject({ code: 0 })
    await serveStore(join(folder, 'store'), '--config', config)
    const knot = spawn('knotd', ['-c', placed('knot.conf', folder)], { stdio: 'ignore' })
    onTestFinished(() => void knot.kill())

    await eventually(() => nameServersAt(KNOT), 200).toBe('ns1.example.net.')
  },
)

it('compose.yaml names files and an image that exist', () => {
  const text = readFileSync(join(ROOT, 'config/compose.yaml'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const files = [...text.matchAll(/\.\/(compose\/[\w.]+)/g)].map(([, path = '']) => path)
  expect(files).toEqual(['compose/service.toml', 'compose/knot.conf'])
  for (const file of files) expect(readFileSync(join(ROOT, 'config', file), 'utf8')).not.toBe('')
  expect([...text.matchAll(/image: holdfast:(\S+)/g)].map(([, tag]) => tag)).toEqual([version, version])
})
