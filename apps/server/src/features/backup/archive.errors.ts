/** A backup file that cannot be read: another kind of file, damaged, cut off, or under another passphrase. The message is for people. */
export class Unsealable extends Error {
  override name = 'Unsealable'
}

export const damaged = () => new Unsealable('The file is damaged or incomplete')
export const wrongPassphrase = () =>
  new Unsealable('The passphrase is not the one of this backup, or the file is damaged')
export const newerFormat = () => new Unsealable('This backup was made by a newer version of the platform')
