import { ACCOUNT_EVENTS, type AccountEventKind } from '../../model/account-events.ts'
import {
  anyObject,
  atMost,
  boolean,
  closedObject,
  count,
  INT64,
  LIMIT,
  list,
  nullableList,
  nullableNumber,
  nullableString,
  nullableTime,
  orNull,
  ref,
  string,
  time,
  wholeNumber,
} from './schema.ts'

/** What a plan allows, in the words that accounts and operators share. */
export const PLAN_LIMITS = {
  max_names: atMost('names, and of zones'),
  max_rdata: atMost('Rdata'),
  max_name_metadata: atMost('metadata keys of one name, or of one zone'),
  max_rrset_metadata: atMost('metadata keys of one RRSet'),
  min_ttl: wholeNumber('The minimum TTL in seconds.', LIMIT),
  fixed_ttl: nullableNumber('The TTL of all RRSets in seconds; null: it may be chosen.', LIMIT),
  has_offline: boolean('Whether names may be offline.'),
  has_wildcards: boolean('Whether names may be wildcards.'),
}

/** The schemas of responses about the account itself. */
export const ACCOUNT_SCHEMAS = {
  Account: closedObject('An account.', {
    name: string('The name of the account: the username of its login.'),
    plan: ref('Plan', 'Its plan.'),
    usage: ref('AccountUsage', 'What it has.'),
    website_only: boolean('Whether it can only be changed on the website of the service.'),
    operator: boolean('Whether its person is an operator of the service.'),
    email: nullableString(
      'The address for messages about the account and links for a new password; null if none is set.',
    ),
    email_confirmed: boolean(
      'Whether the address is confirmed. No other message is sent to an unconfirmed address.',
    ),
    created_at: time('When the account was created, in UTC.'),
  }),
  Plan: closedObject('What an account may have and do.', {
    name: string('The name of the plan.'),
    ...PLAN_LIMITS,
    max_ddns_keys: atMost('DDNS keys'),
    dns_types: nullableList(ref('DnsType'), 'The types that may be used; null is all.'),
    needs_second_factor: boolean('Whether the website needs a second factor.'),
  }),
  AccountUsage: closedObject('What an account has.', {
    names: count('names, as the plan counts them: without the apexes of zones'),
    rdata: count('Rdata, as the plan counts them: without the name servers at the apexes'),
    ddns_keys: count('DDNS keys'),
    api_keys: count('API keys'),
    tsig_keys: count('TSIG keys'),
    zones: count('zones'),
  }),
  AccountExport: closedObject('Everything that an account has, except passwords and secrets.', {
    account: anyObject('The account, its plan and what it uses.'),
    zones: list(anyObject('A zone with its rules, as a master file.'), 'The zones.'),
    names: list(anyObject('A name.'), 'The names, those in zones of other accounts too.'),
    ddns_keys: list(anyObject('A DDNS key with its targets.'), 'The DDNS keys.'),
    api_keys: list(anyObject('An API key.'), 'The API keys.'),
    tsig_keys: list(ref('TsigKey'), 'The TSIG keys.'),
    second_factors: list(ref('SecondFactor'), 'What the website asks for besides the password.'),
    sessions: list(ref('Session'), 'Who is signed in at the website.'),
    sign_ins: list(ref('SignIn'), 'The newest 1000 sign-ins.'),
    events: list(ref('AccountEvent'), 'The newest 1000 account events.'),
    trail: list(ref('TrailEntry'), 'Who changed what: the newest ten thousand entries, the newest first.'),
  }),
  AccountHistory: closedObject('Sign-ins at the website and account events, newest first.', {
    sign_ins: list(ref('SignIn'), 'The newest sign-ins, up to 100; the export has up to 1000.'),
    events: list(ref('AccountEvent'), 'The newest events, up to 100; the export has up to 1000.'),
  }),
  SignIn: closedObject('One sign-in at the website.', {
    at: time('When it was, in UTC.'),
    network: string('The network of the browser: /24 of IPv4, /48 of IPv6.'),
    peer: string('The address of the browser.'),
    credential: string('How the user authenticated.'),
    user_agent: string('The User-Agent of the browser.'),
  }),
  AccountEvent: closedObject('An event of the account.', {
    at: time('When it was, in UTC.'),
    kind: string('The kind of event.', { enum: Object.keys(ACCOUNT_EVENTS) as AccountEventKind[] }),
    subject: string('The key, network or address of the event.'),
  }),
  Session: closedObject('A person who has signed in at the website of the service.', {
    id: wholeNumber('Identifies the session in the path.'),
    api_key_id: nullableNumber('The API key that it was opened with; null: the password of the account.'),
    created_at: time('When the person signed in, in UTC.'),
    seen_at: time('The last request, in UTC, exact to one minute.'),
    peer: string('The address of the browser that signed in.'),
    user_agent: string('The User-Agent of that browser.'),
  }),
  SecondFactors: closedObject('What the website asks for besides the password.', {
    factors: list(ref('SecondFactor'), 'The factors, in the order of their creation.'),
    recovery_codes: count('recovery codes that are not used yet'),
  }),
  SecondFactor: closedObject(
    'An authenticator app, or a passkey.',
    {
      id: wholeNumber('Identifies the factor in the path.'),
      kind: string('totp: an authenticator app (RFC 6238). passkey: a key of Web Authentication.', {
        enum: ['totp', 'passkey'],
      }),
      description: string('The text of the user.'),
      confirmed: boolean('Whether it has worked once; until then the website does not ask for it.'),
      created_at: time('When it was made, in UTC.'),
      last_used_at: nullableTime('When a code of it was last used, in UTC; null is never.'),
      secret: string('Only in the response to the creation: the secret in Base32, which is not shown again.'),
      uri: string('Only in the response to the creation: the secret as a link that apps read.'),
      recovery_codes: list(
        string('One code.'),
        'Only in the response to the creation of a passkey: the recovery codes, if it is the first factor.',
      ),
    },
    ['id', 'kind', 'description', 'confirmed', 'created_at', 'last_used_at'],
  ),
  RecoveryCodes: closedObject('Recovery codes; each can be used once instead of a factor.', {
    recovery_codes: list(
      string('One code.'),
      'The codes, which are not shown again; empty: there are some already.',
    ),
  }),
  TrailEntry: closedObject('One RRSet that was changed, or another change as a whole.', {
    at: time('When it was changed, in UTC.'),
    actor: string(
      'Who changed it: "account NAME", "API key ID", "TSIG key NAME", or "key USERNAME" of a DDNS key.',
    ),
    peer: string('The address of the client.'),
    operation: string(
      'The operationId of the operation in this document; update: by /nic/update; UPDATE: by DNS.',
    ),
    subject: string('The whole name; or the zone, or the key.'),
    dns_type: nullableString('The DNS type, where the change is of one RRSet.'),
    before: nullableString(
      'TTL and values before the change; null: there were none, or the change is of something else.',
    ),
    after: nullableString('The same after the change.'),
  }),
  TrailPage: closedObject('The place of this page in the trail.', {
    limit: wholeNumber('The greatest number of entries in this page, as it was applied.', INT64),
    next: nullableString('The value of after for the next page; null: this one is the last.'),
  }),
  LastUpdate: closedObject(
    'The last request of a DDNS key to /nic/update, also one that changed nothing or was refused.',
    {
      at: time('When it came, in UTC.'),
      key: string('The username of the DDNS key.'),
      user_agent: string('Its User-Agent.'),
      address: string('The address from which it came.'),
      reply: string('The reply to it, for the first hostname.'),
    },
  ),
  KeyBlock: closedObject('Why the requests of a DDNS key are answered abuse.', {
    reason: string('operator: blocked by the operator. abuse: too many requests, or useless ones.', {
      enum: ['operator', 'abuse'],
    }),
    since: nullableTime('When the block began, in UTC; null: the service has not stored it.'),
    until: nullableTime('When the block ends, in UTC; null: when the operator ends it.'),
    what_to_do: string('What ends the block, for people.'),
  }),
}

/** `what`: whose last request it is. */
export const lastUpdate = (what: string) =>
  orNull(ref('LastUpdate'), `The last request of ${what}; null is none.`)
