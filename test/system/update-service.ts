import type { Machine } from './machine.ts'

/** What the update service of the machine was asked. */
export interface Asked {
  /** In milliseconds of the clock that host and machine share. */
  readonly at: number
  readonly hostname: string
  readonly myip: string
  readonly login: string
}

export const SERVICE = 'http://127.0.0.1:8080'
const REQUESTS = '/var/log/requests'
const ANSWER = '/var/lib/answer'

const PROGRAM = `
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

/** A service for the client of a machine to talk to. */
export function serviceIn(machine: Pick<Machine, 'sh'>) {
  const ok = (command: string): string => {
    const { code, stdout, stderr } = machine.sh(command)
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  return {
    start: (): void =>
      void ok(
        `cat > /service.js <<'END'\n${PROGRAM}\nEND\ntouch ${REQUESTS}; systemd-run --quiet --unit service node /service.js`,
      ),
    asked: (): readonly Asked[] =>
      ok(`cat ${REQUESTS}`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Asked),
    /** What it answers from now on, instead of `good`. */
    answers: (word: string): void =>
      void ok(word === 'good' ? `rm -f ${ANSWER}` : `printf %s '${word}' > ${ANSWER}`),
  }
}
