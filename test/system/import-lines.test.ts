import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lacks } from '../lacks.ts'
import { NODE, ROOT, scratch } from '../e2e/processes.ts'

/** On a host with two lines, the imported settings send what the other client sends: each hostname its own address. */

const SERVER = `
const { appendFileSync, writeFileSync } = require('node:fs')
require('node:http').createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://service')
  appendFileSync(process.argv[2], searchParams.get('hostname') + ' ' + searchParams.get('myip') + '\\n')
  response.end(searchParams.get('hostname').split(',').map(() => 'good ' + searchParams.get('myip')).join('\\n'))
}).listen(8080, '127.0.0.1', () => writeFileSync(process.argv[2], ''))
`

interface Other {
  readonly what: string
  readonly program: string
  readonly file: string
  /** The arguments of the other client, for one update. */
  readonly args: (file: string, folder: string) => readonly string[]
  readonly text: (folder: string) => string
  /** Names that are imported; the others stay with the client. */
  readonly taken: readonly string[]
  readonly code: number
}

const DDCLIENT = (lines: string) => (folder: string) =>
  `daemon=0\nsyslog=no\nssl=no\ncache=${folder}/cache\nprotocol=dyndns2, server=127.0.0.1:8080, login=u, password=p\n${lines}\n`
const ddclientArgs = (file: string): readonly string[] => ['-foreground', '-daemon=0', '-file', file]

const OTHERS: readonly Other[] = [
  {
    what: 'ddclient, two hostnames of two lines',
    program: 'ddclient',
    file: 'ddclient.conf',
    args: ddclientArgs,
    text: DDCLIENT('use=if, if=eth1 a.one.example\nuse=if, if=eth2 b.one.example'),
    taken: ['a.one.example', 'b.one.example'],
    code: 0,
  },
  {
    what: 'ddclient, three hostnames of two lines',
    program: 'ddclient',
    file: 'ddclient.conf',
    args: ddclientArgs,
    text: DDCLIENT('use=if, if=eth2 a.one.example,c.one.example\nuse=if, if=eth1 b.one.example'),
    taken: ['a.one.example', 'b.one.example', 'c.one.example'],
    code: 0,
  },
  {
    what: 'ddclient, a line and a program',
    program: 'ddclient',
    file: 'ddclient.conf',
    args: ddclientArgs,
    text: DDCLIENT('use=if, if=eth2 a.one.example\nuse=cmd, cmd="echo 11.22.44.99" b.one.example'),
    taken: ['a.one.example'],
    code: 65,
  },
  {
    what: 'inadyn, one line of two',
    program: 'inadyn',
    file: 'inadyn.conf',
    args: (file, folder) => ['-n', '-1', '--force', '--no-pidfile', `--cache-dir=${folder}`, '-f', file],
    text: () =>
      'iface = eth2\nallow-ipv6 = false\ncustom one { ssl = false username = u password = p hostname = a.one.example ' +
      'ddns-server = "127.0.0.1:8080" ddns-path = "/nic/update?hostname=%h&myip=%i" }\n',
    taken: ['a.one.example'],
    code: 0,
  },
]

/** Runs a script with two lines, and gives back what the service of it was asked: hostname and address. */
function onTwoLines(folder: string, commands: string): readonly string[] {
  const asked = join(folder, 'asked')
  writeFileSync(join(folder, 'server.cjs'), SERVER)
  const script = `
    ip link set lo up
    for n in 1 2; do ip link add eth$n type veth peer name far$n; ip link set eth$n up; ip link set far$n up; done
    ip addr add 11.22.33.10/24 dev eth1; ip addr add 11.22.44.20/24 dev eth2
    ip route add default via 11.22.33.1 dev eth1
    ${NODE} ${folder}/server.cjs ${asked} & server=$!
    while ! [ -e ${asked} ]; do sleep 0.05; done
    ${commands}
    kill $server`
  const { stderr } = spawnSync('unshare', ['-n', '-m', 'sh', '-c', script], { encoding: 'utf8' })
  const lines = readFileSync(asked, 'utf8').trim().split('\n')
  // One request may have several hostnames.
  const each = lines.flatMap((line) => {
    const [names = '', address] = line.split(' ')
    return names.split(',').map((name) => `${name} ${address}`)
  })
  return each.length > 0 ? each.toSorted() : [stderr]
}

const canUnshare = spawnSync('unshare', ['-n', 'ip', 'link', 'add', 'eth1', 'type', 'veth']).status === 0
if (!canUnshare)
  console.error('\n!!! no network namespace can be made here: tests of two lines are SKIPPED\n')

describe.skipIf(!canUnshare)('on two lines, the imported settings send what is sent by', () => {
  for (const { what, program, file, args, text, taken, code } of OTHERS)
    it.skipIf(lacks(program))(what, () => {
      const folder = scratch()
      const path = join(folder, file)
      writeFileSync(path, text(folder))
      chmodSync(path, 0o600)
      const theirs = onTwoLines(folder, `${program} ${args(path, folder).join(' ')} >&2`)
      const config = join(folder, 'holdfast.toml')
      const holdfast = `${NODE} ${join(ROOT, 'bin/holdfast.js')}`
      const ours = onTwoLines(
        folder,
        `${holdfast} import ${path} --write --output ${config} >&2; echo $? > ${folder}/code
        sed -i 's#https://127#http://127#' ${config}
        HOLDFAST_STATE_DIR=${folder}/state HOLDFAST_VERIFY=no ${holdfast} update --config ${config} >&2`,
      )
      expect(readFileSync(join(folder, 'code'), 'utf8').trim()).toBe(String(code))
      expect(ours).toEqual(theirs.filter((line) => taken.some((name) => line.startsWith(`${name} `))))
      expect(ours).toHaveLength(taken.length)
    })
})
