import { isMailAddress } from '../../../shared/base/mail.ts'
import { MAX_DESCRIPTION_LENGTH } from '../request/limits.ts'
import { RDATA_TYPES } from '../../model/rdata/types.ts'
import { PLAN_LIMITS } from './account-schemas.ts'
import {
  anyObject,
  atMost,
  boolean,
  closedObject,
  count,
  list,
  nullableList,
  nullableNumber,
  nullableString,
  nullableTime,
  ruled,
  string,
  time,
  wholeNumber,
} from './schema.ts'

const ACCOUNT_FIELDS = {
  name: string('The name of the account.'),
  plan: string('The name of its plan.'),
  is_suspended: boolean('Whether it is suspended: all its requests are refused.'),
  is_website_only: boolean('Whether it can only be changed on the website.'),
  is_operator: boolean('Whether its person is an operator.'),
  names: count('names'),
  max_names: atMost('names by its plan'),
  rdata: count('Rdata'),
  max_rdata: atMost('Rdata by its plan'),
  zones: count('zones'),
  keys: count('DDNS keys'),
  api_keys: count('API keys'),
  created_at: time('When it was created, in UTC.'),
  has_factor: boolean('Whether it has a second factor.'),
}

const PLAN = {
  ...PLAN_LIMITS,
  max_keys: atMost('DDNS keys'),
  needs_factor: boolean('Whether its accounts need a second factor on the website.'),
}

const INVITED_TO = {
  plan: string('The plan of the new account.'),
  zone: nullableString('The zone that the new account may use; null: none.'),
  email: nullableString('Where the link was sent; null: nowhere.'),
}

const email = ruled(
  nullableString('Where links for a new password go; null: nowhere.'),
  'an e-mail address, or null',
  (text) => text === null || isMailAddress(text),
)

/** The schemas of what operators read and change at the website. */
export const OPERATOR_SCHEMAS = {
  OperatorAccount: closedObject('An account, as operators see it.', ACCOUNT_FIELDS),
  OperatorAccountDetail: closedObject('An account, with its first hundred zones and keys.', {
    ...ACCOUNT_FIELDS,
    zone_names: list(string('The name of a zone.'), 'Its zones.'),
    key_usernames: list(string('The username of a DDNS key.'), 'Its DDNS keys.'),
  }),
  OperatorPlan: closedObject('A plan, as operators see it.', {
    name: string('The name of the plan.'),
    ...PLAN,
    types: nullableString('The types that may be used, with spaces between them; null is all.'),
    accounts: count('accounts that have it'),
  }),
  Block: closedObject('A DDNS key, an account or a name that is blocked.', {
    username: nullableString('The DDNS key, the account or the name; null: it is gone.'),
    reason: string('abuse: too many requests, or useless ones. operator: by an operator.', {
      enum: ['abuse', 'operator'],
    }),
    blocked_until: nullableTime('When the block ends, in UTC; null: when an operator ends it.'),
    last_used_at: nullableTime('After abuse: the last request, in UTC.'),
    agent: nullableString('After abuse: the User-Agent of the last request.'),
    address: nullableString('After abuse: the address from which the last request came.'),
  }),
  Lockout: closedObject('A network whose passwords are not checked, after failed logins.', {
    network: string('An IPv4 address, or an IPv6 network; of a second factor, the account.'),
    endpoint: string(
      'Where the logins failed: /nic/update, /v1 and the website, UPDATE by DNS, or the second factor of an account.',
      { enum: ['update', 'api', 'dns', 'factor'] },
    ),
    blocked_until: nullableTime('When the lockout ends, in UTC.'),
  }),
  Load: closedObject('Which accounts take the most time of the service.', {
    at: nullableTime('When the service said so, in UTC; null: it has not yet.'),
    heaviest: list(
      closedObject('An account, or a network without one.', {
        key: string('Which one.'),
        ms: wholeNumber('Milliseconds of the last one to two minutes.', { minimum: 0 }),
        waiting: count('requests that wait'),
      }),
      'The heaviest first.',
    ),
  }),
  Secondaries: closedObject('What the secondaries have fetched.', {
    at: nullableTime('When the service said so, in UTC; null: there are none.'),
    secondaries: list(
      closedObject('A secondary.', {
        name: string('Its name in the settings.'),
        address: string('Its address and port.'),
        zones: count('zones that it has, or was notified of'),
        behind: count('zones that it was notified of but has not fetched yet'),
        stuck: count('those that it does not fetch'),
        lag: wholeNumber('How long the longest of them has waited, in seconds.', { minimum: 0 }),
        late: list(
          closedObject('A zone that it has not fetched yet.', {
            zone: string('The name of the zone.'),
            told: nullableNumber('The serial that it was notified of.'),
            fetched: nullableNumber('The serial that it has fetched.'),
            served: nullableNumber('The serial that it gives.'),
            is_stuck: boolean('Whether it does not fetch it.'),
          }),
          'The first twenty of them.',
        ),
      }),
      'The secondaries.',
    ),
  }),
  Invitation: closedObject('A link for a new account that is not used yet.', {
    id: wholeNumber('Identifies the invitation in the path.'),
    ...INVITED_TO,
    created_at: time('When it was made, in UTC.'),
    expires_at: time('When it ends, in UTC.'),
  }),
  NewLink: closedObject(
    'A link that is used once; it is shown only in this response.',
    {
      link: string('The link; not in a preview.'),
      mailed: boolean('Whether the mail server took a message with it.'),
      account: string('The account that it is for.'),
      ...INVITED_TO,
    },
    ['mailed'],
  ),
  OperatorAccountPatch: closedObject(
    'The changes to an account.',
    {
      plan: string('The name of a plan.'),
      website_only: boolean('Whether it can only be changed on the website.'),
      operator: boolean('Whether its person is an operator.'),
      suspended: boolean('Whether everything is refused to it; false also ends a block after abuse.'),
      email,
    },
    [],
  ),
  PlanPatch: closedObject(
    'The changes to a plan; in a new one, the rest has its default.',
    {
      ...PLAN,
      types: nullableList(
        string('A DNS type.', { enum: Object.keys(RDATA_TYPES) }),
        'The types that may be used; null is all.',
        { minItems: 1 },
      ),
    },
    [],
  ),
  NewInvitation: closedObject(
    'A new invitation.',
    {
      plan: string('The plan of the new account.'),
      zone: string('A zone that the new account may use.'),
      expires: string('How long the link may be used, such as 7d, which is the default.'),
      email: ruled(string('Where the link is sent.'), 'an e-mail address', isMailAddress),
    },
    ['plan'],
  ),
  ResetLinkRequest: closedObject(
    'Whether the link is sent.',
    {
      send: boolean('Send it to the address of the account. Default: false.'),
    },
    [],
  ),
  AccountPatch: closedObject('The changes to the account.', { email }, ['email']),
  PasskeyOptions: closedObject('What a browser needs for a new passkey.', {
    options: anyObject('PublicKeyCredentialCreationOptionsJSON (Web Authentication Level 3, §5.1.8).'),
  }),
  NewPasskey: closedObject(
    'A passkey that a browser has made.',
    {
      credential: anyObject('RegistrationResponseJSON (Web Authentication Level 3, §5.1.8).'),
      description: string('A text of the user.', { maxLength: MAX_DESCRIPTION_LENGTH }),
    },
    ['credential'],
  ),
}
