/** The version that `--version`, SARIF and the bundle's metadata show; a test keeps it equal to package.json. */
export const VERSION = "0.1.0";
