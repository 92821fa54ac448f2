enum ImportSeeds {
    static let csv = [
        FuzzSeed("plain", "title,artist,seconds,year\nEchoes,Pink Floyd,23:31,1971\nHey,,180,\n"),
        FuzzSeed(
            "quoted",
            "Name;\"Playlist Name\";Total Time;Location\r\n\"12\"\" mix; long\";Night;61000;/a b\r\n"
                + ";Empty;;\r\n\"two\nlines\";Night;0.4;C:\\music\\x.mp3\r\n"),
        FuzzSeed("marked", "\u{FEFF}track\tduration\tpersistent-id\n木曜日\t1:02:03\tABCD\n"),
    ]

    static let m3u = [
        FuzzSeed(
            "extended",
            "#EXTM3U\n#PLAYLIST:Road Trip\n#EXTINF:62,Café Ōsaka - 木曜日\nold/mokuyobi.mp3\n"
                + "#EXTART:Both\n#EXTALB:One\n#EXTINF:-1 tvg=\"x\",Both - Two\n../two%20.mp3\n"),
        FuzzSeed("bare", "# a comment\r\nC:\\Music\\one.mp3\r\n/music/two.mp3\rhttp://x.org/3.mp3"),
        FuzzSeed("latin1", Array("#EXTM3U\n#EXTINF:9,Caf".utf8) + [0xE9, 10, 0xE9, 10]),
    ]

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
