import { expect, it } from 'vitest'
import { FILES } from './sources.ts'

/** Where the text of a secret is taken out, and what for. A request shows «secret» everywhere but on the wire. */
// biome-ignore format: a table
const REVEALED: Readonly<Record<string, string>> = {
  'net/secret-text.ts':                 'the text of which it is a part',
  'platform/http/wire.ts':              'a request as it is sent',
  'platform/mail/smtp.ts':              'the login at a mail server; to find it in an answer',
  'platform/http/proxied.ts':           'the request to the proxy',
  'net/basic.ts':                       'which characters a password has',
  'config/notify-settings.ts':          'the format before an address; whether it names a chat',
  'client/send/secrets.ts':             'to find it in an answer, and mask it',
  'client/send/exchange.ts':            'where a redirect leads',
  'client/notify/payload.ts':           'a signature; the path of a ping',
  'client/migration/merge/merge.ts':          'whether two are equal',
  'app/client/jobs.ts':                 'a fingerprint',
  'config/providers/secret-shape.ts':   'whether it has the shape of a token',
  'app/client/notify/delivery.ts':      'the host of an address; a fingerprint',
  'app/client/page/handler.ts':         'whether two are equal',
  'app/client/settings/tsig-key.ts':    'a password that is a whole key file',
  'app/client/setup/changed-plan.ts':   'a new password, where the configuration has the old one itself',
  'app/client/setup/draft-files.ts':    'the file of a new password',
  'app/service/store/open-postgres.ts': 'the connection to the database',
  'dns/tsig.ts':                        'a signature',
  'dns/cookie.ts':                      'a hash',
  'app/service/http/console.ts':       'the login of a person, as a request of a program has it',
  'server/console/access.ts':          'a cookie; a hash',
  'app/service/dev-setup.ts':          'a link that is printed',
  'server/admin/invitations.ts':       'a link that is printed',
  'server/auth/mails.ts':              'a link that is sent',
  'server/auth/event-mails.ts':        'a link that is sent',
  'server/auth/one-time-codes.ts':     'a hash; a link',
  'server/auth/caller.ts':              'a hash',
  'server/auth/login.ts':               'a hash',
  'server/auth/sessions.ts':            'a hash',
  'server/auth/second-factors.ts':      'a code of an app',
  'app/service/http/api-service.ts':    'a secret that is shown once',
  'server/auth/sealed.ts':              'what is encrypted',
}

it('the text of a secret is taken out only where it is sent, hashed or compared', () =>
  expect(
    FILES.filter(({ text }) => text.includes('.reveal()'))
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(Object.keys(REVEALED).toSorted()))
