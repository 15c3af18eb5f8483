// Run in the browser's driver before it starts.

// The process that reads the driver's messages may be killed: the driver then ends without a word about it.
process.stdout.on("error", () => {});
