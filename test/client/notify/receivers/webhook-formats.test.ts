import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { notificationText } from '../../../../src/client/notify/notification.ts'
import { payloadOf } from '../../../../src/client/notify/receivers/webhook-formats.ts'
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../../src/client/settings/notify-settings.ts'
import { Secret } from '../../../../src/shared/base/secret.ts'
import { NOTIFICATION, STOPPED } from './notifications.ts'

const AT = instant(1_700_000_000_123)
const context = {
  at: AT,
  signedAt: AT,
  id: 'one',
  secret: undefined,
  url: new Secret('https://api.telegram.test/botTOKEN/sendMessage?chat_id=-100&message_thread_id=7'),
  template: { body: '{"a": "{text}"}', type: 'json', method: 'POST', token: undefined },
} as const
const bodyOf = (format: WebhookFormat, one = NOTIFICATION, more: object = {}): string =>
  String(payloadOf(format, one, { ...context, ...more }).body)

/** Where the text of the notification is in each format: one without an entry is a type error. */
const TEXT_IN: Readonly<Record<WebhookFormat, (body: string) => unknown>> = {
  json: (body) => (JSON.parse(body) as { text: string }).text,
  text: (body) => body,
  ntfy: (body) => body,
  slack: (body) => (JSON.parse(body) as { text: string }).text,
  discord: (body) => (JSON.parse(body) as { content: string }).content,
  telegram: (body) => (JSON.parse(body) as { text: string }).text,
  gotify: (body) => (JSON.parse(body) as { message: string }).message,
  template: (body) => (JSON.parse(body) as { a: string }).a,
}

describe('a webhook', () => {
  it.each(WEBHOOK_FORMATS)('for %s says what happened', (format) =>
    expect(TEXT_IN[format](bodyOf(format))).toContain('home.example.test: address changed'),
  )

  it('in JSON has all facts', () =>
    expect(JSON.parse(bodyOf('json'))).toEqual({
      v: 1,
      event: 'changed',
      account: 'abc1234@dyn.example',
      name: 'home',
      hostnames: ['home.example.test'],
      addresses: { v4: '192.0.2.2', v6: '2001:db8::2' },
      before: { v4: '192.0.2.1', v6: null },
      because: null,
      remedy: null,
      since: null,
      times: 1,
      text: notificationText(NOTIFICATION).text,
      at: '2023-11-14T22:13:20.123Z',
      id: 'one',
    }))
  it.each(['json', 'text'] as const)('in %s is signed with the key', (format) => {
    const { body, headers } = payloadOf(format, NOTIFICATION, { ...context, secret: new Secret('the key') })
    const code = createHmac('sha256', 'the key').update(`1700000000.${body}`).digest('hex')
    expect(headers['x-holdfast-signature']).toBe(`t=1700000000,v1=${code}`)
    expect(payloadOf(format, NOTIFICATION, context).headers).not.toHaveProperty('x-holdfast-signature')
  })
  it('for ntfy has headers in ASCII', () => {
    const { body, headers } = payloadOf('ntfy', { ...STOPPED, hostnames: ['mün\nchen'] }, context)
    expect(headers).toMatchObject({
      title: `=?UTF-8?B?${Buffer.from('mün chen: stopped until you act').toString('base64')}?=`,
      priority: '4',
      tags: 'warning',
    })
    expect(body).toContain('badauth')
  })
  it('for Slack escapes what Slack reads as links', () =>
    expect(JSON.parse(bodyOf('slack', STOPPED))).toEqual({
      text: expect.stringContaining('check &lt;the&gt; key &amp; password'),
    }))
  it('for Discord mentions no one', () =>
    expect(JSON.parse(bodyOf('discord', STOPPED))).toEqual({
      content: notificationText(STOPPED).text,
      allowed_mentions: { parse: [] },
    }))
  it('for Telegram sends the chat of the address with the text', () => {
    const { url, body } = payloadOf('telegram', STOPPED, context)
    expect(url?.reveal()).toBe('https://api.telegram.test/botTOKEN/sendMessage')
    expect(JSON.parse(String(body))).toEqual({
      chat_id: '-100',
      message_thread_id: 7,
      text: notificationText(STOPPED).text,
      link_preview_options: { is_disabled: true },
    })
  })
  it.each([
    [STOPPED, 8],
    [{ ...NOTIFICATION, event: 'unreached' }, 5],
    [NOTIFICATION, 2],
  ] as const)('for Gotify is as loud as it is urgent: %j', (one, priority) =>
    expect(JSON.parse(bodyOf('gotify', one))).toEqual({
      title: notificationText(one).title,
      message: notificationText(one).text,
      priority,
    }),
  )

  describe('with a body of its own', () => {
    const filled = (template: object, one = STOPPED, url = 'https://x.test/{id}?q={nothing}') => {
      const base = { body: '', type: 'json', method: 'PUT', token: new Secret('to"ken&') } as const
      const payload = payloadOf('template', one, {
        ...context,
        url: new Secret(url),
        template: { ...base, ...template },
      })
      const { body, headers } = payload
      const revealed = typeof body === 'string' ? body : body.reveal()
      return { ...payload, shown: String(body), revealed, authorization: headers['authorization'] }
    }
    const quoted = { ...STOPPED, because: 'a "b" & c' }

    it('escapes values for JSON, and the id in the address', () => {
      const { method, url, revealed, headers } = filled(
        { body: '{"r": "{because}", "i": "{ipv4}{unknown}"}' },
        quoted,
      )
      expect(JSON.parse(revealed)).toEqual({ r: 'a "b" & c', i: '192.0.2.2{unknown}' })
      expect([method, url?.reveal()]).toEqual(['PUT', 'https://x.test/one?q={nothing}'])
      expect(headers).toMatchObject({ 'content-type': 'application/json' })
    })
    it('escapes values for a form, and shows no token', () => {
      const { revealed, shown, authorization } = filled(
        { body: 'token={token}&message={because}', type: 'form' },
        quoted,
      )
      expect(Object.fromEntries(new URLSearchParams(revealed))).toEqual({
        token: 'to"ken&',
        message: 'a "b" & c',
      })
      expect(shown).toBe('token=«secret»&message=a%20%22b%22%20%26%20c')
      expect(authorization).toBeUndefined()
    })
    it('sends the token as a header where the body has no place for it', () => {
      const { authorization, revealed } = filled({ body: '{text}', type: 'text' })
      expect(revealed).toBe(notificationText(STOPPED).text)
      expect(String(authorization)).toBe('Bearer «secret»')
    })
    it('without a token keeps the place', () =>
      expect(filled({ body: 'x={token}', type: 'form', token: undefined }).revealed).toBe('x={token}'))
  })
})
