import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly at: number
}

export interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a receiver answers to a request; as strict as its documentation. */
export type Receiver = (request: Received) => Answer

/** A receiver on loopback, and what it got. Ends with the test. */
export async function receiving(receiver: Receiver) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
      received.push(one)
      const { status, body = '', headers: more } = receiver(one)
      response.writeHead(status, more).end(body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const members = (body: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** https://docs.ntfy.sh/publish/ */
export const ntfy: Receiver = ({ method, url, headers, body }) => {
  const isTopic = /^\/[-_A-Za-z0-9]{1,64}$/.test(url)
  const isTitled = headers['title'] === undefined || /^[ -~]+$/.test(String(headers['title']))
  const isRanked = headers['priority'] === undefined || /^[1-5]$/.test(String(headers['priority']))
  return method === 'POST' && isTopic && isTitled && isRanked && body !== '' && body.length <= 4096
    ? { status: 200, body: '{"event":"message"}' }
    : { status: 400, body: '{"code":40001}' }
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: Receiver = ({ method, url, headers, body }) => {
  const { text, ...others } = members(body)
  const isValid = typeof text === 'string' && text !== '' && Object.keys(others).length === 0
  if (!/^\/services\/T\w+\/B\w+\/\w+$/.test(url)) return { status: 404, body: 'no_service' }
  return method === 'POST' && headers['content-type'] === 'application/json' && isValid
    ? { status: 200, body: 'ok' }
    : { status: 400, body: 'invalid_payload' }
}

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: Receiver = ({ method, url, headers, body }) => {
  const { content, allowed_mentions: mentions } = members(body)
  const isValid = typeof content === 'string' && content.length > 0 && content.length <= 2000
  const isQuiet = JSON.stringify(mentions) === '{"parse":[]}'
  if (!/^\/api\/webhooks\/\d+\/[\w-]+$/.test(url)) return { status: 404, body: '{"code":10015}' }
  return method === 'POST' && headers['content-type'] === 'application/json' && isValid && isQuiet
    ? { status: 204 }
    : { status: 400, body: '{"code":50006}' }
}

/** https://core.telegram.org/bots/api#sendmessage and #making-requests */
export const telegram: Receiver = ({ method, url, headers, body }) => {
  const wrong = (status: number, description: string): Answer => ({
    status,
    body: JSON.stringify({ ok: false, error_code: status, description }),
  })
  if (!/^\/bot\d+:[\w-]{35}\/sendMessage$/.test(url)) return wrong(404, 'Not Found')
  const { chat_id: chat, text, link_preview_options: preview, ...others } = members(body)
  const isChat = typeof chat === 'number' || (typeof chat === 'string' && /^(-?\d+|@\w{5,})$/.test(chat))
  if (!isChat) return wrong(400, 'Bad Request: chat not found')
  if (typeof text !== 'string' || text.length === 0 || text.length > 4096)
    return wrong(400, 'Bad Request: message text is empty')
  const isKnown = Object.keys(others).length === 0 && typeof preview === 'object'
  return ['GET', 'POST'].includes(method) && headers['content-type'] === 'application/json' && isKnown
    ? { status: 200, body: '{"ok":true,"result":{"message_id":1}}' }
    : wrong(400, 'Bad Request')
}

/** https://gotify.net/docs/pushmsg and its Swagger document: POST /message, a token, and a message. */
export const gotify: Receiver = ({ method, url, headers, body }) => {
  const { pathname, searchParams } = new URL(url, 'http://x')
  const token = searchParams.get('token') ?? headers['x-gotify-key']
  if (pathname !== '/message' || method !== 'POST') return { status: 404 }
  if (token !== 'AbCdEf123456789') return { status: 401, body: '{"error":"Unauthorized"}' }
  const { message, title, priority } = members(body)
  const isValid =
    typeof message === 'string' &&
    message !== '' &&
    ['string', 'undefined'].includes(typeof title) &&
    (priority === undefined || Number.isInteger(priority))
  return isValid && headers['content-type'] === 'application/json'
    ? { status: 200, body: '{"id":25}' }
    : { status: 400, body: '{"error":"Bad Request"}' }
}

/** https://pushover.net/api: a form with token, user and message. */
export const pushover: Receiver = ({ method, url, headers, body }) => {
  const form = new URLSearchParams(body)
  const isKnown =
    /^[A-Za-z0-9]{30}$/.test(form.get('token') ?? '') && /^[A-Za-z0-9]{30}$/.test(form.get('user') ?? '')
  const message = form.get('message') ?? ''
  const isValid = isKnown && message.length > 0 && message.length <= 1024
  return method === 'POST' &&
    url === '/1/messages.json' &&
    headers['content-type'] === 'application/x-www-form-urlencoded' &&
    isValid
    ? { status: 200, body: '{"status":1}' }
    : { status: 400, body: '{"status":0}' }
}

/** https://spec.matrix.org/v1.11/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
export const matrix: Receiver = ({ method, url, headers, body }) => {
  if (headers['authorization'] !== 'Bearer syt_token')
    return { status: 401, body: '{"errcode":"M_UNKNOWN_TOKEN"}' }
  const isPath = /^\/_matrix\/client\/v3\/rooms\/![\w:.%]+\/send\/m\.room\.message\/[0-9a-f]{32}$/.test(url)
  const { msgtype, body: text } = members(body)
  return method === 'PUT' && isPath && msgtype === 'm.text' && typeof text === 'string'
    ? { status: 200, body: '{"event_id":"$x"}' }
    : { status: 400, body: '{"errcode":"M_BAD_JSON"}' }
}

/** https://healthchecks.io/docs/http_api/ */
export const healthchecks =
  (uuid: string): Receiver =>
  ({ method, url }) => {
    const isKnown = [`/${uuid}`, `/${uuid}/start`, `/${uuid}/fail`].includes(url)
    if (!['GET', 'HEAD', 'POST'].includes(method)) return { status: 405 }
    return isKnown ? { status: 200, body: 'OK' } : { status: 404, body: 'not found' }
  }

/** https://github.com/louislam/uptime-kuma/wiki/API-Documentation (push) */
export const uptimeKuma =
  (token: string): Receiver =>
  ({ method, url }) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const isValid =
      method === 'GET' &&
      pathname === `/api/push/${token}` &&
      ['up', 'down'].includes(searchParams.get('status') ?? 'up')
    return isValid ? { status: 200, body: '{"ok":true}' } : { status: 404, body: '{"ok":false}' }
  }
