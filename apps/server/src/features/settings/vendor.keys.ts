/**
 * The public keys of the vendor of this build, base64: licences signed with the private half of any of them hold on
 * every platform made from it. `npm run licence -- build-in <public key>` writes this file.
 */
export const vendorKeys: readonly string[] = []
