import { join } from 'node:path'
import { ROOT } from '../e2e/processes.ts'
import { boot, type Machine } from './machine.ts'

/** What the update service of the machine was asked. */
export interface Asked {
  /** In milliseconds of the clock that host and machine share. */
  readonly at: number
  readonly hostname: string
  readonly myip: string
  readonly login: string
}

/** A machine on which Holdfast is installed as `npm install -g` does it, and a service for it to talk to. */
export interface Guest extends Machine {
  /** What it printed; throws where it failed. */
  ok(command: string): string
  /** A property of a unit. */
  show(property: string, unit?: string): string
  asked(): readonly Asked[]
  /** What the service answers from now on, instead of `good`. */
  answers(word: string): void
  /** Another address on the wire in the place of the last one; the moment of that. */
  moveTo(address: string): number
}

const PACKAGE = '/usr/local/lib/node_modules/holdfast'
const REQUESTS = '/var/log/requests'
const ANSWER = '/var/lib/answer'

const SERVICE = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
require('node:http').createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://service')
  const [hostname, myip] = ['hostname', 'myip'].map((name) => searchParams.get(name))
  const login = Buffer.from(request.headers.authorization.slice('Basic '.length), 'base64').toString()
  appendFileSync('${REQUESTS}', JSON.stringify({ at: Date.now(), hostname, myip, login }) + '\\n')
  const word = existsSync('${ANSWER}') ? readFileSync('${ANSWER}', 'utf8') : 'good ' + myip
  response.end(hostname.split(',').map(() => word).join('\\n'))
}).listen(8080, '127.0.0.1')
`

export async function bootGuest(root: string): Promise<Guest> {
  const folders = ['bin', 'dist', 'systemd', 'config', 'package.json']
  const copies = Object.fromEntries(folders.map((name) => [join(ROOT, name), `${PACKAGE}/${name}`]))
  const machine = await boot(root, copies)
  const ok = (command: string): string => {
    const { code, stdout, stderr } = machine.sh(command)
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  ok(`chmod 755 ${PACKAGE}/bin/holdfast.js; ln -s ${PACKAGE}/bin/holdfast.js /usr/local/bin/holdfast`)
  ok(
    `cat > /service.js <<'END'\n${SERVICE}\nEND\ntouch ${REQUESTS}; systemd-run --quiet --unit service node /service.js`,
  )
  ok('ip link add wire type veth peer name other; ip link set wire up; ip link set other up')
  let address = ''
  return {
    ...machine,
    ok,
    show: (property, unit = 'holdfast') => ok(`systemctl show -P ${property} ${unit}`),
    asked: () =>
      ok(`cat ${REQUESTS}`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Asked),
    answers: (word) => void ok(word === 'good' ? `rm -f ${ANSWER}` : `printf %s '${word}' > ${ANSWER}`),
    moveTo: (next) => {
      // A prefix of its own: with a common one, deleting the first address deletes the second.
      const remove = address === '' ? 'true' : `ip address del ${address}/32 dev wire`
      address = next
      return Number(ok(`ip address add ${next}/32 dev wire; ${remove}; date +%s%3N`))
    },
  }
}

/** The files of root that a daemon needs. */
export const configuration = (text: string): string => `mkdir -p /etc/holdfast
cat > /etc/holdfast/holdfast.toml <<'END'
${text}
END
chmod 644 /etc/holdfast/holdfast.toml`

export const secret = (path: string, text: string): string =>
  `mkdir -p ${path.replace(/\/[^/]*$/, '')}; (umask 077; echo '${text}' > ${path})`

/** What an administrator changes of a unit. */
export const dropIn = (unit: string, text: string): string => `mkdir -p /etc/systemd/system/${unit}.d
cat > /etc/systemd/system/${unit}.d/test.conf <<'END'
${text}
END
systemctl daemon-reload`
