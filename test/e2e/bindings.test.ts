import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { holdfast, type Service, scratch, service } from './processes.ts'

/** A configuration of one account with two names, and settings of the second name. */
function file(at: Service, host: string, top: string): { readonly path: string; readonly folder: string } {
  const folder = scratch()
  const path = join(folder, 'h.toml')
  const [home, office] = ['home.example.test', 'office.example.test']
  writeFileSync(
    path,
    `state_dir = "${folder}"\nruntime_dir = "${folder}"\n${top}
     [[account]]
     server = "${at.url}"\nusername = "${at.username}"\npassword = "${at.password}"
     hostnames = ["${home}", "${office}"]
     [[account.host]]
     name = "${office}"\n${host}\n`,
    { mode: 0o600 },
  )
  return { path, folder }
}

it('a hostname with a suffix gets the prefix of this host and its own host part', async () => {
  const at = await service()
  const program = join(scratch(), 'tell')
  writeFileSync(program, '#!/bin/sh\necho 8.8.8.8\necho 2600:1:2:3::7\n', { mode: 0o755 })
  const { path } = file(at, 'suffix = "::1:2"', `sources = ["command"]\ncommand = ["${program}"]`)

  const { code, stdout } = await holdfast(['update', '--config', path])

  expect([code, stdout.trim().split('\n')]).toEqual([
    0,
    [
      'home.example.test: good 8.8.8.8,2600:1:2:3::7 (update succeeded)',
      'office.example.test: good 8.8.8.8,2600:1:2:3::1:2 (update succeeded)',
    ],
  ])
})

it('a hostname that is bound to a local address gets the address seen from there', async () => {
  const at = await service()
  // What an outside service sees of two lines.
  const server = createServer((request, response) =>
    response.end(request.socket.remoteAddress === '127.0.0.2' ? '9.9.9.9' : '8.8.8.8'),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { path } = file(at, 'from = "127.0.0.2"', `sources = ["${url}"]`)

  const { stdout } = await holdfast(['update', '--config', path])

  expect(stdout).toContain('home.example.test: good 8.8.8.8')
  expect(stdout).toContain('office.example.test: good 9.9.9.9')
})
