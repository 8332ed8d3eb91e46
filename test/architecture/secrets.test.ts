import { expect, it } from 'vitest'
import { FILES } from './sources.ts'

/** Where the text of a secret is taken out, and what for. A request shows «secret» everywhere but on the wire. */
// biome-ignore format: a table
const REVEALED: Readonly<Record<string, string>> = {
  'shared/base/secret.ts':                 'the text of which it is a part; which characters a password has',
  'shared/platform/http/service.ts':              'a request as it is sent',
  'shared/platform/mail/smtp.ts':              'the login at a mail server; to find it in an answer',
  'shared/platform/http/proxied.ts':           'the request to the proxy',
  'client/settings/notify-settings.ts':          'the format before an address; whether it names a chat',
  'client/agent/send/secrets.ts':             'to find it in an answer, and mask it',
  'client/agent/send/exchange.ts':            'where a redirect leads',
  'client/notify/receivers/webhook-formats.ts': 'a signature',
  'client/notify/receivers/ping.ts':    'the path of a ping',
  'client/setup/migration/merge/merge.ts':          'whether two are equal',
  'client/program/jobs.ts':                 'a fingerprint',
  'client/services/providers/secret-shape.ts':   'whether it has the shape of a token',
  'client/notify/receivers/attempt.ts': 'the host of an address; a fingerprint',
  'client/page/handler.ts':         'whether two are equal',
  'client/settings/protocols.ts':    'a password that is a whole key file',
  'client/setup/changed-plan.ts':   'a new password, where the configuration has the old one itself',
  'client/setup/draft-files.ts':    'the file of a new password',
  'service/admin/store/open-postgres.ts': 'the connection to the database',
  'shared/dns/tsig.ts':                        'a signature',
  'shared/dns/cookie.ts':                      'a hash',
  'service/program/http/handlers.ts':       'the login of a person, as a request of a program has it',
  'service/console/access.ts':          'a cookie; a hash',
  'service/program/dev-setup.ts':          'a link that is printed',
  'service/admin/invitations.ts':       'a link that is printed',
  'service/auth/mails.ts':              'a link that is sent',
  'service/auth/event-mails.ts':        'a link that is sent',
  'service/auth/one-time-codes.ts':     'a hash; a link',
  'service/auth/caller.ts':              'a hash',
  'service/auth/login.ts':               'a hash',
  'service/auth/sessions.ts':            'a hash',
  'service/auth/second-factors.ts':      'a code of an app',
  'service/program/http/api-service.ts':    'a secret that is shown once',
  'service/auth/sealed.ts':              'what is encrypted',
}

it('the text of a secret is taken out only where it is sent, hashed or compared', () =>
  expect(
    FILES.filter(({ text }) => text.includes('.reveal()'))
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(Object.keys(REVEALED).toSorted()))
