import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Header fields by their names in lower case, unfolded; and the body, decoded. */
  readonly fields: ReadonlyMap<string, string>
  readonly body: string
  readonly isEncrypted: boolean
  readonly user: string | undefined
}

interface MailServerOptions {
  readonly login?: { readonly user: string; readonly password: string }
  /** Offers STARTTLS, and takes nothing without it. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Instead of 250 after the message. */
  readonly answer?: string
}

const MAILBOX = /^(MAIL FROM|RCPT TO):<([^<>\s]+@[^<>\s]+)>((?: [A-Z0-9-]+(?:=\S+)?)*)$/i

/** One connection, as strict as RFC 5321 §4.1.4 (order of commands), RFC 3207 (STARTTLS) and RFC 4954 (AUTH). */
class Session {
  readonly #options: MailServerOptions
  readonly #received: ReceivedMail[]
  #socket: Socket
  #text = ''
  #hasGreeted = false
  #user: string | undefined
  #from: string | undefined
  #to: string[] = []
  #isData = false

  constructor(socket: Socket, options: MailServerOptions, received: ReceivedMail[]) {
    this.#socket = socket
    this.#options = options
    this.#received = received
    this.#listen(socket)
    this.#say('220 mail.test ESMTP')
  }

  #listen(socket: Socket): void {
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
      for (let end = this.#text.indexOf('\r\n'); end >= 0; end = this.#text.indexOf('\r\n')) {
        if (this.#isData) {
          const over = this.#text.indexOf('\r\n.\r\n')
          if (over < 0) return
          const message = this.#text.slice(0, over)
          this.#text = this.#text.slice(over + 5)
          this.#take(message)
          continue
        }
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        this.#command(line)
      }
    })
  }

  #say(...lines: readonly string[]): void {
    this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  get #isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket
  }

  #command(line: string): void {
    const { tls, login } = this.#options
    const verb = line.split(' ')[0]?.toUpperCase() ?? ''
    if (line.length > 510) return this.#say('500 5.5.2 line too long')
    if (verb === 'EHLO') {
      this.#hasGreeted = /^EHLO \S+$/i.test(line)
      const offers = [
        ...(tls !== undefined && !this.#isEncrypted ? ['STARTTLS'] : []),
        ...(login !== undefined && (tls === undefined || this.#isEncrypted) ? ['AUTH PLAIN LOGIN'] : []),
        '8BITMIME',
      ]
      return this.#say(
        '250-mail.test',
        ...offers.map((one, at) => `250${at < offers.length - 1 ? '-' : ' '}${one}`),
      )
    }
    if (verb === 'QUIT') return void this.#socket.end('221 2.0.0 bye\r\n')
    if (!this.#hasGreeted) return this.#say('503 5.5.1 say EHLO first')
    if (verb === 'STARTTLS' && tls !== undefined && !this.#isEncrypted) {
      this.#say('220 2.0.0 go ahead')
      this.#hasGreeted = false
      this.#socket.removeAllListeners('data')
      this.#socket = new TLSSocket(this.#socket, { isServer: true, ...tls })
      return this.#listen(this.#socket)
    }
    if (tls !== undefined && !this.#isEncrypted)
      return this.#say('530 5.7.0 Must issue a STARTTLS command first')
    if (verb === 'AUTH') return this.#authenticate(line)
    if (login !== undefined && this.#user === undefined) return this.#say('530 5.7.0 Authentication required')
    const [, command = '', address = ''] = MAILBOX.exec(line) ?? []
    if (command.toUpperCase() === 'MAIL FROM') {
      this.#from = address
      this.#to = []
      return this.#say('250 2.1.0 ok')
    }
    if (command.toUpperCase() === 'RCPT TO' && this.#from !== undefined) {
      if (address.startsWith('nobody@')) return this.#say('550 5.1.1 no such mailbox')
      this.#to.push(address)
      return this.#say('250 2.1.5 ok')
    }
    if (line.toUpperCase() === 'DATA' && this.#to.length > 0) {
      this.#isData = true
      return this.#say('354 end with a dot')
    }
    this.#say('503 5.5.1 bad sequence of commands')
  }

  #authenticate(line: string): void {
    const { login } = this.#options
    const [, , initial = ''] = /^AUTH (PLAIN) ([A-Za-z0-9+/=]+)$/i.exec(line) ?? []
    const [, user, password] = Buffer.from(initial, 'base64').toString().split('\0')
    if (login === undefined || user !== login.user || password !== login.password)
      return this.#say(`535 5.7.8 Authentication credentials invalid: ${password}; ${line}`)
    this.#user = user
    this.#say('235 2.7.0 Authentication successful')
  }

  #take(text: string): void {
    this.#isData = false
    const [head = '', ...rest] = text.replaceAll(/^\./gm, '').split('\r\n\r\n')
    const fields = new Map(
      head
        .replaceAll(/\r\n[ \t]+/g, ' ')
        .split('\r\n')
        .map(
          (field) =>
            [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)] as const,
        ),
    )
    // RFC 5322 §3.6: the fields that there must be; all is ASCII (RFC 5321 §2.4), or its encoding is said.
    const missing = ['date', 'from', 'to', 'subject', 'message-id', 'mime-version', 'content-type'].filter(
      (name) => !fields.has(name),
    )
    const isPlain = /^[\x09\x0a\x0d\x20-\x7e]*$/.test(text)
    const isLong = text.split('\r\n').some((line) => line.length > 998)
    if (missing.length > 0 || !isPlain || isLong)
      return this.#say(`554 5.6.0 not a message: ${missing.join(', ')}`)
    if (this.#options.answer !== undefined) return this.#say(this.#options.answer)
    this.#received.push({
      from: this.#from ?? '',
      to: this.#to,
      fields,
      body: decoded(rest.join('\r\n\r\n'), fields.get('content-transfer-encoding') ?? '7bit'),
      isEncrypted: this.#isEncrypted,
      user: this.#user,
    })
    this.#from = undefined
    this.#say('250 2.0.0 queued')
  }
}

/** RFC 2045 §6. */
function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** A mail server on loopback, and what it took. Ends with the test. */
export async function mailServer(options: MailServerOptions = {}) {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const sessions: Session[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    sessions.push(new Session(socket, options, received))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
