import { plural } from '../plural.ts'

/** Second factors. */
export const EN_FACTORS = {
  factor: {
    title: 'Second factor',
    what: 'Your password is right. Now the code of your authenticator app',
    code: 'Code',
    codeHint: 'Six digits, or one of your recovery codes.',
    wrong: 'The code is wrong, or was used already.',
  },
  factors: {
    title: 'Second factor',
    what: 'With an authenticator app on your phone, your password alone is not enough to sign in here.',
    isOn: 'The password alone is not enough to sign in here. Programs use API keys.',
    app: 'Authenticator app',
    works: 'works',
    unconfirmed: 'not confirmed, not used',
    description: 'Name of the device',
    descriptionHint: 'Such as: my phone.',
    add: 'Add an authenticator app',
    scan: 'Scan this with the app, or enter the secret',
    picture: 'The secret as a picture for the app',
    secret: 'Secret',
    firstCode: 'Code',
    firstCodeHint: 'The six digits that the app shows now. From then on they are asked for.',
    confirm: 'Confirm',
    codes: 'Recovery codes',
    codesOnce: 'Keep these on paper. Each works once, if the phone is gone. They are shown only now',
    codesLeft: (count: number) => `${plural(count, 'recovery code is', 'recovery codes are')} left.`,
    newCodes: 'New recovery codes',
    toAccount: 'To the account',
  },
}
