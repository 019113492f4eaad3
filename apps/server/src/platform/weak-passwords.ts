let common: Promise<ReadonlySet<string>> | undefined

/** About 18,000 passwords of 8 characters and more out of breaches, the most frequent first. Read when first needed. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map(String).filter((one) => one.length >= 8))
}

/** The letters and digits of a text, for comparing it with a name. */
const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Why this password would be guessed early, as a sentence, or nothing. It is held against a list that the
 * program carries with it, and against what is known of its owner (`about`: names, the address, the platform's
 * name); how it is composed does not matter.
 */
export async function weaknessOf(password: string, about: readonly string[]): Promise<string | undefined> {
  common ??= load()
  const plain = password.toLowerCase()
  if ((await common).has(plain) || new Set(plain).size === 1)
    return 'This password is known from breaches of other services: choose another one'
  const known = about.flatMap((text) => [bare(text), bare(text.split('@')[0] ?? '')]).filter((text) => text.length > 2)
  // Digits and signs around a name do not hide it.
  if (known.includes(bare(password)) || known.includes(bare(password).replace(/^\p{N}+|\p{N}+$/gu, '')))
    return 'This password is the name of the account or of the platform: choose another one'
  return undefined
}
