/** What links are for that are used once. */
export const EN_LINKS = {
  links: {
    code: 'Code of the link',
    codeHint: 'What is after # in the link.',
    useless: 'The link was already used, or has expired. Ask for another one.',
    account: 'Name of the account',
    accountHint: 'You choose it. Letters, digits, and . _ - @.',
    taken: 'This name is taken.',
    whose: (host: string, zone: string | undefined) =>
      zone === undefined
        ? `The service is ${host}.`
        : `The service is ${host}; your names will be in ${zone}.`,
    weak: 'A password has at least 12 characters, and no invisible ones.',
    invitation: {
      title: 'Welcome',
      what: 'You are invited to create names here',
      go: 'Make the account',
    },
    reset: {
      title: 'New password',
      what: 'Choose another password for your account',
      go: 'Change the password',
    },
    confirm: {
      title: 'Your e-mail address',
      what: 'Confirm that you receive mail at this address',
      go: 'Confirm',
    },
    open: {
      title: 'Open the console',
      what: 'This link signs you in once',
      go: 'Open',
    },
  },
}
