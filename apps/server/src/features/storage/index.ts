export {
  readContents,
  readContents as readStored,
  readStorage,
  storageContext,
  type StorageKind,
  writeStorage,
} from './storage.store.ts'
