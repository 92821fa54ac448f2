enum ImportSeeds {
    static let propertyList = [
        FuzzSeed(
            "library",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/x.dtd">
            <plist version="1.0"><dict><!-- all of it -->
            <key>Tracks</key><dict>
            <key>7</key><dict><key>Track ID</key><integer>7</integer>
            <key>Name</key><string>R&amp;B &#38; &#x26; <![CDATA[<more>]]></string>
            <key>Total Time</key><integer>61000</integer><key>Year</key><integer>1994</integer>
            <key>Location</key><string>file://localhost/a%20b.mp3</string></dict></dict>
            <key>Playlists</key><array>
            <dict><key>Name</key><string>Both</string><key>Smart Info</key><data>AAA=</data>
            <key>Playlist Items</key><array><dict><key>Track ID</key><integer>7</integer></dict>
            <dict><key>Track ID</key><integer>8</integer></dict></array></dict>
            <dict><key>Name</key><string>All</string><key>Master</key><true/></dict>
            <dict><key>Name</key><string>F</string><key>Folder</key><true/></dict>
            </array><key>Date</key><date>2009-01-02T03:04:05Z</date></dict></plist>

            """),
        FuzzSeed("deep", "<plist><dict><key>x</key><array><array><array/></array></array></dict>"),
        FuzzSeed("binary", "bplist00"),
    ]
}
